// A value of a table, and what it is as a number or a text: SQLite's conversions, so that a mapping sees the same
// whatever holds its tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cgpu {

enum class ValueType : uint8_t { null, integer, real, text, blob };

struct TableValue {
  ValueType type = ValueType::null;
  int64_t integer = 0;
  double real = 0;
  std::string_view bytes;  // of a text or blob, until the next row

  /// What else it holds is not read of an integer.
  void set(int64_t number) {
    type = ValueType::integer;
    integer = number;
  }
  static TableValue of(int64_t integer) { return {ValueType::integer, integer, 0, {}}; }
  static TableValue of(std::string_view text) { return {ValueType::text, 0, 0, text}; }
};

/// Of a value that is no integer: 0 for null, a real number towards 0 to the nearest that there is, the digits with
/// which a text begins.
int64_t converted_integer(const TableValue& value);
inline int64_t integer_of(const TableValue& value) {
  return value.type == ValueType::integer ? value.integer : converted_integer(value);
}
/// Of a text the decimal number with which it begins.
double real_of(const TableValue& value);
/// "" for null; the digits of a number are put into `digits`.
std::string_view text_of(const TableValue& value, std::string& digits);

}  // namespace cgpu
