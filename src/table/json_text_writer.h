// Writes JSON piece by piece, with the commas where they belong. Texts come out as valid UTF-8, whatever they hold; a
// number that is not finite as null. O(length).
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cgpu {

class JsonTextWriter {
 public:
  JsonTextWriter& begin_object() { return open('{'); }
  JsonTextWriter& end_object() { return close('}'); }
  JsonTextWriter& begin_array() { return open('['); }
  JsonTextWriter& end_array() { return close(']'); }
  JsonTextWriter& key(std::string_view name);

  JsonTextWriter& value(std::string_view text);
  JsonTextWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonTextWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonTextWriter& value(double number);
  JsonTextWriter& value(bool truth) { return raw(truth ? "true" : "false"); }
  template <std::integral T>
  JsonTextWriter& value(T number) {
    return raw(std::to_string(number));
  }
  JsonTextWriter& null() { return raw("null"); }
  template <typename T>
  JsonTextWriter& value(const std::optional<T>& maybe) {
    return maybe ? value(*maybe) : null();
  }
  template <typename T>
  JsonTextWriter& value(const std::vector<T>& values) {
    begin_array();
    for (const T& each : values) value(each);
    return end_array();
  }
  /// JSON text that is complete in itself.
  JsonTextWriter& raw(std::string_view json);

  template <typename T>
  JsonTextWriter& member(std::string_view name, const T& content) {
    return key(name).value(content);
  }

  std::string text() && { return std::move(out_); }

 private:
  JsonTextWriter& open(char bracket);
  JsonTextWriter& close(char bracket);
  void separate();

  std::string out_;
  bool first_ = true;  // of the innermost object or array, or behind a key
};

}  // namespace cgpu
