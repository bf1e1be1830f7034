#include "table/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "table/unicode.h"

namespace cgpu {
namespace {

/// Commas between the thousands of a plain decimal number.
std::string with_separators(std::string digits) {
  const size_t first = digits.starts_with('-') ? 1 : 0;
  const size_t point = std::min(digits.find('.'), digits.size());
  for (size_t at = point; at > first + 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

/// Plain decimal, or with an exponent where the digits would say more than a double knows.
std::string fixed(double value, int decimals) {
  if (std::fabs(value) >= 1e15) return fmt::format("{:.3g}", value);
  return with_separators(fmt::format("{:.{}f}", value, decimals));
}

/// Three significant digits, and one behind the point at least.
int decimals_for(double value) {
  return std::fabs(value) < 9.995 ? 2 : 1;
}

struct Step {
  double factor;
  const char* name;
  int decimals;  // -1: as decimals_for says
};

/// `value` in the largest of the steps (ascending) in which it still reads 1 or more after rounding. In the first step
/// a whole number is written without decimals.
std::string in_steps(double value, std::span<const Step> steps) {
  for (size_t i = 0;; ++i) {
    const double scaled = value / steps[i].factor;
    int decimals = steps[i].decimals >= 0 ? steps[i].decimals : decimals_for(scaled);
    if (i == 0 && scaled == std::floor(scaled)) decimals = 0;
    const double unit = std::pow(10.0, decimals);
    const double shown = std::round(std::fabs(scaled) * unit) / unit;
    if (i + 1 == steps.size() || shown < steps[i + 1].factor / steps[i].factor) {
      return fixed(scaled, decimals) + " " + steps[i].name;
    }
  }
}

constexpr Step kTime[] = {{1, "ns", 1}, {1e3, "us", -1}, {1e6, "ms", -1}, {1e9, "s", 3}};
constexpr Step kSize[] = {{1, "B", 1},
                          {1024.0, "KiB", -1},
                          {1048576.0, "MiB", -1},
                          {1073741824.0, "GiB", -1},
                          {1099511627776.0, "TiB", -1},
                          {1125899906842624.0, "PiB", -1}};
constexpr Step kPrefixes[] = {{1, "", -1},     {1e3, "k", -1},  {1e6, "M", -1}, {1e9, "G", -1},
                              {1e12, "T", -1}, {1e15, "P", -1}, {1e18, "E", -1}};

struct PrefixedUnit {
  double factor;     // of the base
  std::string base;  // "B/s"
};

/// "GB/s" is 1e9 of "B/s". Empty for a rate that takes no prefix, such as "launches/s", and for what is neither a rate
/// nor work.
std::optional<PrefixedUnit> prefixed_unit(std::string_view unit) {
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (unit == "FLOP") return PrefixedUnit{1, "FLOP"};
  if (unit == "bytes/s") return PrefixedUnit{1, "B/s"};
  if (unit.size() < 3 || !unit.ends_with("/s")) return std::nullopt;
  for (const Step& prefix : kPrefixes) {
    const bool named = unit[0] == prefix.name[0] || (unit[0] == 'K' && prefix.name[0] == 'k');
    if (named && is_capital(unit[1])) return PrefixedUnit{prefix.factor, std::string(unit.substr(1))};
  }
  if (is_capital(unit[0])) return PrefixedUnit{1, std::string(unit)};
  return std::nullopt;
}

double factor_of(const Unit& unit) {
  return std::ldexp(std::pow(10.0, unit.ten), unit.two);
}

std::string format_number(double value, const Column& column) {
  if (const auto unit = find_unit(column.unit)) {
    switch (unit->kind) {
      case Unit::Kind::time:
        return format_ns(value * factor_of(*unit));
      case Unit::Kind::size:
        return format_bytes(value * factor_of(*unit));
      case Unit::Kind::share:
        return format_percent(value);
    }
  }
  if (prefixed_unit(column.unit)) return format_rate(value, column.unit);
  return format_real(value);
}

std::string format_number(int64_t value, const Column& column) {
  if (column.unit.empty()) return std::to_string(value);  // an id, a rank, a line number
  if (find_unit(column.unit) || prefixed_unit(column.unit)) return format_number(static_cast<double>(value), column);
  return format_count(value);
}

std::string heading(const Column& column) {
  std::string text = column.name;
  std::string unit;
  if (const auto known = find_unit(column.unit)) {
    if (known->kind == Unit::Kind::share) unit += '%';
    const std::string suffix = "_" + (known->kind == Unit::Kind::share ? "pct" : column.unit);
    if (text == "pct") text.clear();
    if (text.ends_with(suffix)) text.resize(text.size() - suffix.size());
  } else if (!column.unit.empty() && column.unit != "count" && !prefixed_unit(column.unit)) {
    unit = "(" + column.unit + ")";
  }
  std::replace(text.begin(), text.end(), '_', ' ');
  if (!text.empty() && !unit.empty()) text += " ";
  return printable(text + unit);
}

}  // namespace

std::string format_ns(int64_t nanoseconds) {
  return format_ns(static_cast<double>(nanoseconds));
}
std::string format_ns(double nanoseconds) {
  return in_steps(nanoseconds, kTime);
}

std::string format_bytes(int64_t bytes) {
  return format_bytes(static_cast<double>(bytes));
}
std::string format_bytes(double bytes) {
  return in_steps(bytes, kSize);
}

std::string format_percent(double percent) {
  if (percent != 0 && std::fabs(percent) < 0.005) return percent > 0 ? "<0.01%" : ">-0.01%";
  return fixed(percent, 2) + "%";
}

std::string format_count(int64_t count) {
  return with_separators(std::to_string(count));
}

std::string format_count(int64_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", format_count(count), count == 1 ? one : several);
}

std::string format_real(double value) {
  const double size = std::fabs(value);
  if (size < 1e15 && size == std::floor(size)) return format_count(static_cast<int64_t>(value));
  return size >= 0.9995 ? fixed(value, 2) : fmt::format("{:.3g}", value);
}

std::string format_rate(double value, std::string_view unit) {
  const auto rate = prefixed_unit(unit);
  if (!rate) return format_real(value) + " " + std::string(unit);
  return in_steps(value * rate->factor, kPrefixes) + rate->base;
}

std::string format_value(double value, std::string_view unit) {
  const std::string text = format_number(value, {.type = ColumnType::real, .unit = std::string(unit)});
  return unit.empty() || unit == "count" || find_unit(unit) || prefixed_unit(unit) ? text
                                                                                   : text + " " + std::string(unit);
}

std::string format_cell(const Cell& cell, const Column& column) {
  if (is_absent(cell)) return "-";
  if (const auto* integer = std::get_if<int64_t>(&cell)) return format_number(*integer, column);
  if (const auto* real = std::get_if<double>(&cell)) return format_number(*real, column);
  return printable(std::get<std::string>(cell));
}

std::string exact_cell(const Cell& cell) {
  if (is_absent(cell)) return "";
  if (const auto* integer = std::get_if<int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  return std::get<std::string>(cell);
}

void append_exact(std::string& out, const ColumnValues& values, size_t row) {
  if (values.is_absent(row)) return;
  switch (values.type()) {
    case ColumnType::integer: {
      const fmt::format_int digits(values.integer(row));
      out.append(digits.data(), digits.size());
      return;
    }
    case ColumnType::real:
      fmt::format_to(std::back_inserter(out), "{}", values.real(row));
      return;
    case ColumnType::text:
      out += values.text(row);
      return;
  }
}

std::vector<std::string> headings(const std::vector<Column>& columns) {
  std::map<std::string, int> uses;
  for (const Column& column : columns) ++uses[heading(column)];
  std::vector<std::string> out;
  for (const Column& column : columns) {
    std::string text = heading(column);
    out.push_back(uses[text] > 1 ? printable(column.name) : std::move(text));
  }
  return out;
}

std::string format_more_rows(size_t count) {
  return fmt::format("... {} more row{}", format_count(static_cast<int64_t>(count)), count == 1 ? "" : "s");
}

std::optional<Unit> find_unit(std::string_view name) {
  using Kind = Unit::Kind;
  static const std::map<std::string_view, Unit> units = {
      {"ns", {Kind::time, 0, 0}},    {"us", {Kind::time, 3, 0}},   {"ms", {Kind::time, 6, 0}},
      {"s", {Kind::time, 9, 0}},     {"sec", {Kind::time, 9, 0}},  {"usec", {Kind::time, 3, 0}},
      {"msec", {Kind::time, 6, 0}},  {"nsec", {Kind::time, 0, 0}}, {"B", {Kind::size, 0, 0}},
      {"bytes", {Kind::size, 0, 0}}, {"KB", {Kind::size, 3, 0}},   {"kB", {Kind::size, 3, 0}},
      {"MB", {Kind::size, 6, 0}},    {"GB", {Kind::size, 9, 0}},   {"TB", {Kind::size, 12, 0}},
      {"KiB", {Kind::size, 0, 10}},  {"MiB", {Kind::size, 0, 20}}, {"GiB", {Kind::size, 0, 30}},
      {"TiB", {Kind::size, 0, 40}},  {"%", {Kind::share, 0, 0}},
  };
  const auto found = units.find(name);
  if (found == units.end()) return std::nullopt;
  return found->second;
}

std::optional<double> ns_in_unit(std::string_view name) {
  const std::optional<Unit> unit = find_unit(name);
  if (!unit || unit->kind != Unit::Kind::time) return std::nullopt;
  return std::pow(10.0, unit->ten);
}

std::optional<double> unit_ratio(std::string_view from, std::string_view to) {
  if (from == to) return 1.0;
  const std::optional<Unit> one = find_unit(from);
  const std::optional<Unit> other = find_unit(to);
  if (!one || !other || one->kind != other->kind) return std::nullopt;
  return std::pow(10.0, one->ten - other->ten) * std::pow(2.0, one->two - other->two);
}

}  // namespace cgpu
