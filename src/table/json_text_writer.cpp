#include "table/json_text_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "table/json.h"

namespace cgpu {

void JsonTextWriter::separate() {
  if (!first_) out_ += ',';
  first_ = false;
}

JsonTextWriter& JsonTextWriter::open(char bracket) {
  separate();
  out_ += bracket;
  first_ = true;
  return *this;
}

JsonTextWriter& JsonTextWriter::close(char bracket) {
  out_ += bracket;
  first_ = false;
  return *this;
}

JsonTextWriter& JsonTextWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_ += ':';
  first_ = true;
  return *this;
}

JsonTextWriter& JsonTextWriter::value(std::string_view text) {
  separate();
  append_json_string(out_, text);
  return *this;
}

JsonTextWriter& JsonTextWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", number);
  return *this;
}

JsonTextWriter& JsonTextWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

}  // namespace cgpu
