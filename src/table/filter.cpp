#include "table/filter.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <compare>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/sort_runs.h"
#include "table/filter_parser.h"
#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {
namespace {

using Operator = Filter::Operator;

/// A number to compare with: floor + fraction for integers, the nearest double for doubles.
struct Threshold {
  Int128 floor = 0;
  bool fraction = false;  // whether there is anything above floor
  double nearest = 0;
};

/// value * factor^times for a factor below 10; lowest digits beyond 37 only stay known to be there.
void multiply(Decimal& value, int factor, int times) {
  constexpr Int128 limit = (Int128{1} << 126) / 10;
  for (; times > 0; --times) {
    for (; value.digits > limit || value.digits < -limit; ++value.exponent) {
      value.sticky = value.sticky || value.digits % 10 != 0;
      value.digits /= 10;
    }
    value.digits *= factor;
  }
}

Threshold threshold(const Decimal& value) {
  constexpr Int128 beyond_int64 = Int128{1} << 64;
  Int128 size = value.digits < 0 ? -value.digits : value.digits;
  bool fraction = value.sticky;
  for (int e = value.exponent; e < 0 && size != 0; ++e) {
    fraction = fraction || size % 10 != 0;
    size /= 10;
  }
  for (int e = value.exponent; e > 0 && size != 0 && size < beyond_int64; --e) size *= 10;
  return {.floor = value.digits < 0 ? -size - (fraction ? 1 : 0) : size,
          .fraction = fraction,
          .nearest = std::strtod(fmt::format("{}e{}", value.digits, value.exponent).c_str(), nullptr)};
}

std::partial_ordering compare(int64_t value, const Threshold& to) {
  if (value != to.floor) return value < to.floor ? std::partial_ordering::less : std::partial_ordering::greater;
  return to.fraction ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

/// Where the number at the head of "1.5e3 ms" ends.
size_t number_length(std::string_view text) {
  const auto is_digit = [&](size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  const auto is_sign = [&](size_t i) { return i < text.size() && (text[i] == '-' || text[i] == '+'); };
  size_t end = is_sign(0) ? 1 : 0;
  while (is_digit(end) || (end < text.size() && text[end] == '.')) ++end;
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    size_t exponent = is_sign(end + 1) ? end + 2 : end + 1;
    if (!is_digit(exponent)) return end;
    while (is_digit(exponent)) ++exponent;
    end = exponent;
  }
  return end;
}

/// The condition's value in the unit of the column.
Threshold number_of(const Filter::Condition& condition, const Column& column) {
  const std::string_view text = condition.value;
  const size_t length = number_length(text);
  std::optional<Decimal> number = Decimal::parse(text.substr(0, length));
  if (!number) {
    fail_in_filter(condition.position, fmt::format("column {} holds numbers, but '{}' is not a number",
                                                   printable(column.name), printable(text)));
  }
  std::string_view unit_name = text.substr(length);
  while (!unit_name.empty() && is_space(unit_name.front())) unit_name.remove_prefix(1);
  if (unit_name.empty() || unit_name == column.unit) return threshold(*number);

  const std::optional<Unit> unit = find_unit(unit_name);
  const std::optional<Unit> own = find_unit(column.unit);
  if (!unit || !own || unit->kind != own->kind) {
    fail_in_filter(condition.position,
                   fmt::format("column {} is in {}, which '{}' cannot be converted to", printable(column.name),
                               column.unit.empty() ? "no unit" : printable(column.unit), printable(unit_name)));
  }
  number->exponent += unit->ten - own->ten;
  const int twos = unit->two - own->two;
  if (twos >= 0) {
    multiply(*number, 2, twos);
  } else {  // 1 / 2 = 5 / 10
    multiply(*number, 5, -twos);
    number->exponent += twos;
  }
  return threshold(*number);
}

bool holds(Operator op, std::partial_ordering order) {
  switch (op) {
    case Operator::equal:
      return order == 0;
    case Operator::not_equal:
      return order != 0;
    case Operator::less:
      return order < 0;
    case Operator::less_equal:
      return order <= 0;
    case Operator::greater:
      return order > 0;
    case Operator::greater_equal:
      return order >= 0;
    case Operator::matches:
    case Operator::matches_not:
      break;
  }
  return false;
}

}  // namespace

Filter Filter::parse(std::string_view expression) {
  Filter filter;
  ParsedFilter parsed = parse_filter(expression);
  filter.conditions_ = std::move(parsed.conditions);
  filter.root_ = std::move(parsed.root);
  return filter;
}

/// A condition with its column, and what is known of the texts of the dictionary that it met last.
class BatchFilter::Bound {
 public:
  Bound(const Filter::Condition& condition, const Column& column) : condition_(condition) {
    if (column.type == ColumnType::text) return;
    if (condition.pattern) {
      fail_in_filter(condition.position,
                     fmt::format("column {} holds numbers, which ~ does not match", printable(column.name)));
    }
    number_ = number_of(condition, column);
  }

  /// Which of the values, in the order of BatchFilter::columns.
  size_t place = 0;

  /// Leaves out the rows that do not meet the condition.
  void keep(std::vector<uint32_t>& rows, const ColumnValues& values) {
    const auto keep_if = [&](auto is_met) {
      std::erase_if(rows, [&](uint32_t row) { return values.is_absent(row) || !is_met(row); });
    };
    switch (values.type()) {
      case ColumnType::integer:
        return keep_if([&](uint32_t row) { return holds(condition_.op, compare(values.integers()[row], number_)); });
      case ColumnType::real:
        return keep_if([&](uint32_t row) { return holds(condition_.op, values.reals()[row] <=> number_.nearest); });
      case ColumnType::text:
        enter(values.shared_dictionary());
        return keep_if([&](uint32_t row) { return meets(values.codes()[row]); });
    }
  }

 private:
  enum class Verdict : uint8_t { unknown, met, not_met };

  void enter(std::shared_ptr<const TextDictionary> dictionary) {
    if (dictionary_ != dictionary) verdicts_.clear();
    dictionary_ = std::move(dictionary);
    verdicts_.resize(dictionary_->size(), Verdict::unknown);
  }
  bool meets(int32_t code) {
    Verdict& verdict = verdicts_[static_cast<size_t>(code)];
    if (verdict == Verdict::unknown) {
      const std::string_view text = (*dictionary_)[code];
      const bool met = condition_.pattern
                           ? RE2::PartialMatch(text, *condition_.pattern) == (condition_.op == Operator::matches)
                           : holds(condition_.op, text <=> std::string_view(condition_.value));
      verdict = met ? Verdict::met : Verdict::not_met;
    }
    return verdict == Verdict::met;
  }

  const Filter::Condition& condition_;
  Threshold number_;
  std::shared_ptr<const TextDictionary> dictionary_;  // kept, so that no other one can be mistaken for it
  std::vector<Verdict> verdicts_;                     // by code
};

BatchFilter::BatchFilter(const Filter& filter, const Table& table) : filter_(filter) {
  for (const Filter::Condition& condition : filter.conditions()) {
    const size_t column = table.column(condition.column);
    bound_.emplace_back(condition, table.columns[column]);
    const auto known = std::find(columns_.begin(), columns_.end(), column);
    bound_.back().place = static_cast<size_t>(known - columns_.begin());
    if (known == columns_.end()) columns_.push_back(column);
  }
}

BatchFilter::~BatchFilter() = default;
BatchFilter::BatchFilter(BatchFilter&&) noexcept = default;

std::vector<uint32_t> BatchFilter::matches(size_t rows, const std::vector<const ColumnValues*>& values) {
  Rows all(rows);
  std::iota(all.begin(), all.end(), 0);
  return matching(filter_.root(), std::move(all), values);
}

/// Those of the rows, which rise.
BatchFilter::Rows BatchFilter::matching(const Filter::Node& node, Rows rows,
                                        const std::vector<const ColumnValues*>& values) {
  using Kind = Filter::Node::Kind;
  const auto without = [](const Rows& from, const Rows& others) {
    Rows rest;
    std::set_difference(from.begin(), from.end(), others.begin(), others.end(), std::back_inserter(rest));
    return rest;
  };
  switch (node.kind) {
    case Kind::condition: {
      Bound& condition = bound_[node.condition];
      condition.keep(rows, *values[condition.place]);
      return rows;
    }
    case Kind::all_of:
      for (const Filter::Node& part : node.parts) rows = matching(part, std::move(rows), values);
      return rows;
    case Kind::any_of: {
      Rows rest = rows;  // that meet none so far
      for (const Filter::Node& part : node.parts) rest = without(rest, matching(part, rest, values));
      return without(rows, rest);
    }
    case Kind::none_of:
      return without(rows, matching(node.parts.front(), rows, values));
  }
  return rows;
}

std::vector<uint32_t> Filter::matches(const Table& table) const {
  BatchFilter filter(*this, table);
  std::vector<const ColumnValues*> values;
  for (const size_t column : filter.columns()) values.push_back(&table.values(column));
  return filter.matches(table.row_count(), values);
}

std::optional<std::string> Filter::unknown_text(const Table& table) const {
  constexpr size_t kMostNamed = 40;
  for (const Condition& condition : conditions_) {
    const size_t column = table.column(condition.column);
    if (condition.op != Operator::equal || table.columns[column].type != ColumnType::text) continue;
    const ColumnValues& values = table.values(column);
    std::set<std::string_view> texts;
    for (uint32_t row = 0; row < table.row_count(); ++row) {
      if (!values.is_absent(row)) texts.insert(values.text(row));
    }
    if (texts.contains(condition.value)) continue;
    std::string line = fmt::format("--where: no row has the {} '{}'", condition.column, printable(condition.value));
    if (texts.empty() || texts.size() > kMostNamed) return line;
    std::vector<std::string> shown;
    for (const std::string_view text : texts) shown.push_back(printable(text));
    return line + fmt::format("; there are {}", fmt::join(shown, ", "));
  }
  return std::nullopt;
}

void Filter::apply(Table& table) const {
  const std::vector<uint32_t> rows = matches(table);
  if (rows.size() < table.row_count()) table.take(rows);
}

Sort parse_sort(const Table& table, std::string_view column) {
  const bool has_sign = column.starts_with('-') || column.starts_with('+');
  const size_t index = table.column(has_sign ? column.substr(1) : column);
  return {index, has_sign ? column[0] == '-' : table.columns[index].type != ColumnType::text};
}

namespace {

/// By code its place in the order of the texts.
std::vector<int32_t> places_of(const TextDictionary& dictionary) {
  std::vector<int32_t> order(dictionary.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return dictionary[a] < dictionary[b]; });
  std::vector<int32_t> places(order.size());
  for (size_t place = 0; place < order.size(); ++place) {
    places[static_cast<size_t>(order[place])] = static_cast<int32_t>(place);
  }
  return places;
}

template <typename KeyOf>
std::vector<uint32_t> sorted_by(const ColumnValues& values, bool descending, size_t top, KeyOf key_of) {
  const auto before = [&](uint32_t a, uint32_t b) {
    const bool absent = values.is_absent(a);
    if (absent != values.is_absent(b)) return !absent;
    if (!absent) {
      const auto key = key_of(a);
      const auto other = key_of(b);
      if (key < other) return !descending;
      if (other < key) return descending;
    }
    return a < b;
  };
  std::vector<uint32_t> rows(values.size());
  std::iota(rows.begin(), rows.end(), 0);
  if (top > 0 && top < rows.size()) {
    std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(top) - 1, rows.end(), before);
    rows.resize(top);
  }
  sort_runs(rows, before);
  return rows;
}

}  // namespace

std::string sorted_by_text(const Table& table, const Sort& sort) {
  return (sort.descending ? "-" : "+") + table.columns[sort.column].name;
}

std::vector<uint32_t> sorted_rows(const ColumnValues& values, bool descending, size_t top) {
  switch (values.type()) {
    case ColumnType::integer:
      return sorted_by(values, descending, top, [&](uint32_t row) { return values.integers()[row]; });
    case ColumnType::real:
      return sorted_by(values, descending, top, [&](uint32_t row) { return values.reals()[row]; });
    case ColumnType::text:
      break;
  }
  if (values.dictionary().size() > values.size()) {
    return sorted_by(values, descending, top, [&](uint32_t row) { return values.text(row); });
  }
  const std::vector<int32_t> places = places_of(values.dictionary());
  return sorted_by(values, descending, top,
                   [&](uint32_t row) { return places[static_cast<size_t>(values.codes()[row])]; });
}

void sort_rows(Table& table, std::string_view column) {
  const auto [index, descending] = parse_sort(table, column);
  table.take(sorted_rows(table.values(index), descending));
  table.sorted_by = sorted_by_text(table, {index, descending});
}

void take_top(Table& table, size_t n) {
  const size_t kept = shown_rows(table, n);
  if (kept == table.row_count()) return;
  std::vector<uint32_t> rows(kept);
  std::iota(rows.begin(), rows.end(), 0);
  table.take(rows);
}

void RowChoice::apply(Table& table) const {
  where.apply(table);
  if (!sort.empty()) sort_rows(table, sort);
  take_top(table, top);
}

}  // namespace cgpu
