#include "base/decimal.h"

#include "base/ascii.h"

namespace cgpu {

namespace {

constexpr int kMaxDigits = 38;  // fits into 127 bits

/// digits * 10^power, or false where that leaves 38 digits.
bool multiply_by_power_of_ten(Int128& digits, int power) {
  constexpr Int128 limit = (static_cast<Int128>(1) << 126) / 10;
  for (; power > 0 && digits != 0; --power) {
    if (digits > limit || digits < -limit) return false;
    digits *= 10;
  }
  return true;
}

}  // namespace

std::optional<Decimal> Decimal::parse(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  const bool negative = p != end && *p == '-';
  if (p != end && (*p == '-' || *p == '+')) ++p;

  Decimal result;
  int kept = 0;
  bool any = false;
  bool fraction = false;
  for (; p != end; ++p) {
    if (*p == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (!is_digit(*p)) break;
    any = true;
    if (kept < kMaxDigits) {
      result.digits = result.digits * 10 + (*p - '0');
      if (result.digits != 0) ++kept;
      if (fraction) --result.exponent;
    } else {
      if (*p != '0') result.sticky = true;
      if (!fraction) ++result.exponent;
    }
  }
  if (!any) return std::nullopt;
  if (p != end && (*p == 'e' || *p == 'E')) {
    ++p;
    const bool down = p != end && *p == '-';
    if (p != end && (*p == '-' || *p == '+')) ++p;
    if (p == end) return std::nullopt;
    int power = 0;
    for (; p != end && is_digit(*p); ++p) {
      if (power < 100000) power = power * 10 + (*p - '0');
    }
    result.exponent += down ? -power : power;
  }
  if (p != end) return std::nullopt;
  if (negative) result.digits = -result.digits;
  return result;
}

std::optional<int64_t> Decimal::scaled(int shift) const {
  Int128 value = digits;
  const int power = exponent + shift;
  if (power >= 0) {
    if (!multiply_by_power_of_ten(value, power)) return std::nullopt;
  } else {
    // Divide digit by digit; remember the last digit cut and whether anything below it was non-zero.
    int last = 0;
    bool below = sticky;
    const bool negative = value < 0;
    if (negative) value = -value;
    for (int i = power; i < 0; ++i) {
      below = below || last != 0;
      last = static_cast<int>(value % 10);
      value /= 10;
      if (value == 0 && last == 0) break;  // nothing but zeros follows
    }
    const bool up = last > 5 || (last == 5 && (below || value % 2 != 0));
    if (up) ++value;
    if (negative) value = -value;
  }
  if (value > INT64_MAX || value < INT64_MIN) return std::nullopt;
  return static_cast<int64_t>(value);
}

Decimal operator+(const Decimal& a, const Decimal& b) {
  const Decimal& fine = a.exponent <= b.exponent ? a : b;
  const Decimal& coarse = a.exponent <= b.exponent ? b : a;
  Decimal result = fine;
  Int128 widened = coarse.digits;
  if (multiply_by_power_of_ten(widened, coarse.exponent - fine.exponent)) {
    result.digits += widened;
  } else {  // too far apart for 38 digits: the finer one only breaks ties
    result = coarse;
    result.sticky = coarse.sticky || fine.digits != 0;
    return result;
  }
  result.sticky = a.sticky || b.sticky;
  return result;
}

std::optional<int64_t> nanoseconds_from_microseconds(std::string_view text) {
  const std::optional<Decimal> value = Decimal::parse(text);
  return value ? value->scaled(3) : std::nullopt;
}

}  // namespace cgpu
