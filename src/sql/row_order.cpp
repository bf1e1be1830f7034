#include "sql/row_order.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace cgpu {

namespace {

/// Where a stable order takes the i-th of its elements from.
using Places = std::vector<uint32_t>;

/// Codes of a dictionary by the order of their texts.
std::vector<uint32_t> ranks_of(const TextDictionary& texts) {
  std::vector<int32_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return texts[a] < texts[b]; });
  std::vector<uint32_t> ranks(texts.size());
  for (uint32_t rank = 0; rank < order.size(); ++rank) ranks[static_cast<size_t>(order[rank])] = rank;
  return ranks;
}

/// In the order of doubles; 0.0 and -0.0 are equal.
uint64_t key_of(double value) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  const auto bits = std::bit_cast<uint64_t>(value == 0 ? 0.0 : value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

uint64_t key_of(int64_t value) {
  return static_cast<uint64_t>(value) ^ (uint64_t{1} << 63);
}

/// One key a row, in the order of the values; of absent ones 0, which others may have too.
std::vector<uint64_t> keys_of(const ColumnValues& values, bool grouped) {
  std::vector<uint64_t> keys(values.size());
  if (values.type() == ColumnType::text) {
    const std::vector<uint32_t> ranks = grouped ? std::vector<uint32_t>() : ranks_of(values.dictionary());
    for (size_t row = 0; row < keys.size(); ++row) {
      const auto code = static_cast<size_t>(values.codes()[row]);
      if (!values.is_absent(row)) keys[row] = grouped ? code : ranks[code];
    }
    return keys;
  }
  for (size_t row = 0; row < keys.size(); ++row) {
    if (values.is_absent(row)) continue;
    keys[row] = values.type() == ColumnType::integer ? key_of(values.integer(row)) : key_of(values.real(row));
  }
  return keys;
}

/// Sorts places by a digit of their keys.
void sort_by_digit(const std::vector<uint64_t>& keys, int shift, size_t digits, Places& places, Places& space) {
  std::vector<uint32_t> begins(digits + 1);
  const auto digit = [&](uint32_t place) { return static_cast<size_t>(keys[place] >> shift) & (digits - 1); };
  for (const uint32_t place : places) ++begins[digit(place) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  space.resize(places.size());
  for (const uint32_t place : places) space[begins[digit(place)]++] = place;
  places.swap(space);
}

}  // namespace

std::vector<uint32_t> order_of_values(const ColumnValues& values, bool descending, bool grouped) {
  std::vector<uint64_t> keys = keys_of(values, grouped);
  Places present;
  Places absent;
  present.reserve(keys.size());
  uint64_t least = UINT64_MAX;
  uint64_t most = 0;
  bool sorted = true;
  uint64_t before = 0;
  for (uint32_t place = 0; place < keys.size(); ++place) {
    if (values.is_absent(place)) {
      absent.push_back(place);
      continue;
    }
    if (descending) keys[place] = ~keys[place];
    least = std::min(least, keys[place]);
    most = std::max(most, keys[place]);
    sorted &= present.empty() || before <= keys[place];
    before = keys[place];
    present.push_back(place);
  }
  if (!sorted) {
    for (const uint32_t place : present) keys[place] -= least;
    constexpr int kDigit = 11;
    Places space;
    for (int shift = 0; shift < 64 && (most - least) >> shift != 0; shift += kDigit) {
      sort_by_digit(keys, shift, uint64_t{1} << kDigit, present, space);
    }
  }
  if (absent.empty()) return present;
  Places& first = descending ? present : absent;
  const Places& last = descending ? absent : present;
  first.insert(first.end(), last.begin(), last.end());
  return std::move(first);
}

ColumnValues column_at(const RowSource& source, size_t column, const std::vector<uint32_t>& rows) {
  if (const ColumnValues* whole = source.whole(column)) {
    ColumnValues values = *whole;
    values.take(rows);
    return values;
  }
  ColumnValues values(source.declared().columns[column].type);
  values.reserve(rows.size());
  for (size_t first = 0; first < rows.size(); first += kRowBlock) {
    values.append_all(source.values(column, std::span(rows).subspan(first, std::min(kRowBlock, rows.size() - first))));
  }
  return values;
}

void order_rows(const RowSource& source, const std::vector<OrderTerm>& terms, bool grouped,
                std::vector<uint32_t>& rows) {
  for (size_t term = terms.size(); term-- > 0;) {
    Places places = order_of_values(column_at(source, terms[term].column, rows), terms[term].descending, grouped);
    for (uint32_t& place : places) place = rows[place];
    rows = std::move(places);
  }
}

}  // namespace cgpu
