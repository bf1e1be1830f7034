#include "readers/trace_event/arguments.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/json_text.h"
#include "base/to_size.h"
#include "readers/trace_event/repairing_parser.h"
#include "readers/trace_event/windows.h"

namespace cgpu::trace_event {

namespace {

constexpr size_t kLeastRead = size_t{4} << 10;
constexpr size_t kMostAhead = size_t{256} << 10;

/// Events of a file at rising positions. What is read at once grows while they are close together.
class EventTexts {
 public:
  EventTexts(TextSource& source, const std::string& file) : source_(source), file_(file) {}

  /// The text of the event at `position` as far as a look for the next one shows, which is quick; followed by
  /// simdjson::SIMDJSON_PADDING readable bytes, valid until the next call.
  std::string_view likely(uint64_t position) {
    const std::string_view event = without_next(from(position));
    return event.size() < from(position).size() ? event : exact(position);
  }

  /// The same with brackets counted.
  std::string_view exact(uint64_t position) {
    for (;;) {
      const std::string_view rest = from(position);
      const size_t end = end_of_json_object(rest, 0, rest.size());
      if (end != std::string_view::npos) return rest.substr(0, end);
      const std::string_view event = without_next(rest);  // broken quotes: the next event ends this one
      if (event.size() < rest.size() || text_.size() < asked_ || asked_ >= kMaxWindowBytes) return event;
      fill(position, position == begin_ ? 4 * asked_ : std::min(2 * asked_, kMostAhead));
    }
  }

 private:
  /// What is held of the text from `position` on.
  std::string_view from(uint64_t position) {
    if (position < begin_ || position - begin_ >= text_.size()) {
      const bool is_near = position >= begin_ && position - begin_ < text_.size() + kLeastRead;
      fill(position, is_near ? std::min(2 * asked_, kMostAhead) : kLeastRead);
    }
    const std::string_view rest = std::string_view(text_).substr(to_size(position - begin_));
    if (!rest.starts_with('{')) throw Error(file_, "has changed since it was opened: open it again");
    return rest;
  }

  static std::string_view without_next(std::string_view text) {
    const size_t next = next_event_boundary(text, 1);
    return next == std::string_view::npos ? text : trim_json(text.substr(0, text.rfind(',', next)));
  }

  void fill(uint64_t position, size_t size) {
    begin_ = position;
    asked_ = size;
    text_.reserve(size + simdjson::SIMDJSON_PADDING);
    text_.resize(size);
    text_.resize(source_.read_at(position, text_.data(), size));
  }

  TextSource& source_;
  const std::string& file_;
  uint64_t begin_ = 0;  // where the text is in the file
  std::string text_;
  size_t asked_ = kLeastRead;
};

class FileArguments final : public ArgumentSource {
 public:
  FileArguments(std::shared_ptr<TextSource> source, std::string file)
      : source_(std::move(source)), file_(std::move(file)) {}

  void read_events(std::span<const uint64_t> positions, ArgumentBatch& batch) override {
    EventTexts events(*source_, file_);
    simdjson::dom::parser parser;
    JsonText text;
    for (const uint64_t position : positions) {
      batch.begin_event();
      simdjson::dom::object args;
      const auto parse = [&](std::string_view event) {
        return parser.parse(event.data(), event.size(), false)["args"].get(args);
      };
      auto error = parse(events.likely(position));
      if (error && error != simdjson::NO_SUCH_FIELD) error = parse(events.exact(position));
      if (error && error != simdjson::NO_SUCH_FIELD) {
        error = parser.parse(repaired_event(events.likely(position)))["args"].get(args);
      }
      if (error) continue;  // an event without arguments, or with `"blocks per SM": inf` among them
      for (const auto& [key, value] : args) {
        if (batch.wants(key)) add(key, value, text, batch);
      }
    }
  }

  bool is_parallel() const override { return source_->is_quick_anywhere(); }

 private:
  /// What simdjson::to_string makes a new one of for each value.
  using JsonText = simdjson::internal::string_builder<>;

  static void add(std::string_view key, simdjson::dom::element value, JsonText& json, ArgumentBatch& batch) {
    if (std::string_view text; !value.get(text)) return batch.add(key, text, false);
    if (value.type() != simdjson::dom::element_type::INT64) {
      json.clear();
      json.append(value);
      return batch.add(key, json.str(), true);
    }
    char digits[24];
    const char* const end = std::to_chars(digits, digits + sizeof(digits), int64_t{value}).ptr;
    batch.add(key, {digits, static_cast<size_t>(end - digits)}, true);
  }

  std::shared_ptr<TextSource> source_;
  std::string file_;
};

}  // namespace

std::shared_ptr<ArgumentSource> make_argument_source(std::shared_ptr<TextSource> source, std::string file) {
  return std::make_shared<FileArguments>(std::move(source), std::move(file));
}

}  // namespace cgpu::trace_event
