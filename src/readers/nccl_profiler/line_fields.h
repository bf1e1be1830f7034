// The members of a JSON object on one line, those of inner objects under "outer.inner": numbers as written, texts
// unescaped.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace cgpu::nccl_profiler {

class LineFields {
 public:
  /// False where the line is no JSON object. O(line).
  bool parse(std::string_view line);

  /// Empty where there is no such member.
  const std::string& text(const std::string& key) const;
  std::optional<int64_t> number(const std::string& key) const;
  /// ns of a member in microseconds; absent where it is 0, which plugins leave where nothing happened.
  std::optional<int64_t> time(const std::string& key) const;

 private:
  bool read(simdjson::ondemand::object object, const std::string& prefix, int depth);

  simdjson::ondemand::parser parser_;
  std::map<std::string, std::string> fields_;
};

}  // namespace cgpu::nccl_profiler
