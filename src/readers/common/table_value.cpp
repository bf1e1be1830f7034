#include "readers/common/table_value.h"

#include <sqlite3.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace cgpu {

namespace {

int64_t integer_of_real(double real) {
  if (std::isnan(real)) return 0;
  if (real <= -9223372036854775808.0) return INT64_MIN;
  if (real >= 9223372036854775808.0) return INT64_MAX;
  return static_cast<int64_t>(real);
}

int64_t integer_of_text(std::string_view text) {
  while (!text.empty() && (text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r'))) text.remove_prefix(1);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return 0;
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return text.starts_with('-') ? INT64_MIN : INT64_MAX;
  return value;
}

}  // namespace

int64_t converted_integer(const TableValue& value) {
  switch (value.type) {
    case ValueType::null:
      return 0;
    case ValueType::integer:
      return value.integer;
    case ValueType::real:
      return integer_of_real(value.real);
    default:
      return integer_of_text(value.bytes);
  }
}

double real_of(const TableValue& value) {
  if (value.type == ValueType::real) return value.real;
  if (value.type != ValueType::text && value.type != ValueType::blob) return static_cast<double>(integer_of(value));
  const std::string number(value.bytes.substr(0, value.bytes.find_first_not_of(" \t\n\v\f\r+-.0123456789eE")));
  return std::strtod(number.c_str(), nullptr);
}

std::string_view text_of(const TableValue& value, std::string& digits) {
  switch (value.type) {
    case ValueType::null:
      return {};
    case ValueType::integer:
      return digits = std::to_string(value.integer);
    case ValueType::real: {
      std::array<char, 40> text{};
      return digits = sqlite3_snprintf(static_cast<int>(text.size()), text.data(), "%!.15g", value.real);
    }
    default:
      return value.bytes;
  }
}

}  // namespace cgpu
