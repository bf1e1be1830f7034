// Exact decimals: the text of a JSON number as an integer and a power of ten.
//
// Profilers write times as decimal text, usually microseconds with three decimals, absolute since 1970. Passing such
// a number through a double loses up to 249 ns, so the text is read as integers and rounded once, half to even,
// in the unit that is wanted. Up to 38 significant digits are kept; digits beyond that only break ties.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cgpu {

__extension__ using Int128 = __int128;  // GCC and Clang; __extension__ keeps -Wpedantic quiet

struct Decimal {
  Int128 digits = 0;  // value = digits * 10^exponent
  int exponent = 0;
  bool sticky = false;  // non-zero digits were cut off behind the last kept one

  /// Reads an optional sign, digits, fraction and exponent; nothing else may surround them.
  /// Empty for anything that is not a finite decimal number ("", "NaN", "inf", "N/A", "1e", ...).
  static std::optional<Decimal> parse(std::string_view text);

  /// value * 10^shift rounded half to even; empty where the result does not fit into an int64.
  std::optional<int64_t> scaled(int shift) const;
};

/// a + b, exactly where the common form fits into 38 digits, else with the sticky digit set.
Decimal operator+(const Decimal& a, const Decimal& b);

/// Nanoseconds of a decimal number of microseconds, rounded half to even. Empty when it is no number or too large.
std::optional<int64_t> nanoseconds_from_microseconds(std::string_view text);

}  // namespace cgpu
