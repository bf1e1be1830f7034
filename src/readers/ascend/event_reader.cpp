#include "readers/ascend/event_reader.h"

#include "base/decimal.h"
#include "base/json_text.h"
#include "base/rule_lines.h"
#include "readers/ascend/names.h"

namespace cgpu::ascend {

namespace {

namespace dom = simdjson::dom;

constexpr size_t kMostBytes = size_t{256} << 10;  // of an event of these layers
constexpr size_t kWindow = size_t{8} << 20;  // large: reading from the middle of a compressed file starts far before it

int64_t integer(dom::element element) {
  int64_t value = 0;
  std::string_view text;
  if (!element.get(value)) return value;
  if (element.get(text)) return EventArguments::kAbsent;
  const auto decimal = Decimal::parse(trim(text));
  return decimal ? decimal->scaled(0).value_or(EventArguments::kAbsent) : EventArguments::kAbsent;
}

std::string_view text_of(dom::element element) {
  std::string_view text;
  return element.get(text) ? std::string_view() : text;
}

void take(std::string_view key, dom::element value, EventArguments& arguments) {
  if (key == "connection_id") {
    arguments.connection = integer(value);
  } else if (key == "correlation_id") {
    arguments.queue = integer(value);
  } else if (key == "Task Type") {
    arguments.task_type = text_of(value);
  } else if (key == "size(B)" || key == "data size(Byte)") {
    arguments.bytes = integer(value);
  } else if (key == "operation" || key == "memcpy direction") {
    arguments.operation = text_of(value);
  } else if (key == "data_type") {
    arguments.data_type = text_of(value);
  } else if (key == "count") {
    arguments.count = integer(value);
  } else if (key == "rank_size") {
    arguments.rank_size = integer(value);
  }
}

}  // namespace

bool EventReader::read(uint64_t position, EventArguments& arguments) {
  arguments = {};
  const std::string_view event = event_at(position);
  dom::object object;
  if (event.empty() || parser_.parse(event.data(), event.size()).get(object)) return false;
  dom::object args;
  if (object["args"].get(args)) return true;  // an event without any
  for (const auto& [key, value] : args) take(key, value, arguments);
  return true;
}

std::string_view EventReader::event_at(uint64_t position) {
  const bool inside = position >= begin_ && position < begin_ + window_.size();
  const bool reaches = inside && (begin_ + window_.size() - position >= kMostBytes || window_.size() < kWindow);
  if (!reaches) {
    window_.resize(kWindow);
    window_.resize(source_.read_at(position, window_.data(), window_.size()));
    begin_ = position;
  }
  const auto at = static_cast<size_t>(position - begin_);
  const size_t end = end_of_json_object(window_, at, kMostBytes);
  return end == std::string_view::npos ? std::string_view() : std::string_view(window_).substr(at, end - at);
}

}  // namespace cgpu::ascend
