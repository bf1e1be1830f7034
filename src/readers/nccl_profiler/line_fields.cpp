#include "readers/nccl_profiler/line_fields.h"

#include "base/decimal.h"
#include "base/json_text.h"
#include "base/parse_number.h"

namespace cgpu::nccl_profiler {

namespace {

namespace ondemand = simdjson::ondemand;

constexpr size_t kMostFields = 100;
constexpr int kMostNesting = 3;

}  // namespace

bool LineFields::parse(std::string_view line) {
  fields_.clear();
  const simdjson::padded_string padded(line);
  ondemand::document document;
  ondemand::object object;
  if (parser_.iterate(padded).get(document) || document.get_object().get(object)) return false;
  const char* rest = nullptr;  // an error at the end of the document
  return read(object, "", 0) && document.current_location().get(rest) != simdjson::SUCCESS;
}

bool LineFields::read(ondemand::object object, const std::string& prefix, int depth) {
  for (auto member : object) {
    std::string_view key;
    ondemand::value value;
    ondemand::json_type type{};
    if (member.unescaped_key().get(key)) return false;
    std::string path = prefix + std::string(key);
    if (member.value().get(value) || value.type().get(type)) return false;
    if (type == ondemand::json_type::object && depth < kMostNesting) {
      ondemand::object inner;
      if (value.get_object().get(inner) || !read(inner, path + ".", depth + 1)) return false;
      continue;
    }
    std::string_view text;
    if (type == ondemand::json_type::string) {
      if (value.get_string().get(text)) return false;
    } else if (type == ondemand::json_type::number) {
      text = trim_json(value.raw_json_token());
      double is_number = 0;
      if (value.get_double().get(is_number)) return false;
    } else {
      continue;  // the parser skips it
    }
    if (fields_.size() < kMostFields) fields_.emplace(std::move(path), text);
  }
  return true;
}

const std::string& LineFields::text(const std::string& key) const {
  static const std::string none;
  const auto found = fields_.find(key);
  return found == fields_.end() ? none : found->second;
}

std::optional<int64_t> LineFields::number(const std::string& key) const {
  return parse_number(text(key));
}

std::optional<int64_t> LineFields::time(const std::string& key) const {
  const auto ns = nanoseconds_from_microseconds(text(key));
  return ns && *ns != 0 ? ns : std::nullopt;
}

}  // namespace cgpu::nccl_profiler
