#include "sql/row_search.h"

#include <algorithm>
#include <numeric>

namespace cgpu {

namespace {

std::vector<uint32_t> rows_from(size_t first, size_t count) {
  std::vector<uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), static_cast<uint32_t>(first));
  return rows;
}

}  // namespace

bool RowSearch::is_single_value(const RowCondition& condition) const {
  return source_->declared().columns[condition.column].type == ColumnType::text || condition.low == condition.high;
}

std::optional<std::vector<uint32_t>> RowSearch::looked_up(const std::vector<RowCondition>& conditions) {
  std::optional<std::vector<uint32_t>> fewest;
  for (const RowCondition& condition : conditions) {
    if (!is_single_value(condition)) continue;
    if (lookups_.try_emplace(condition.column).second && source_->row_count() > kRowBlock) continue;
    const Lookup& lookup = lookup_of(condition.column);
    const int64_t value = lookup.texts ? lookup.texts->find(condition.text) : condition.low;
    const auto [first, last] = std::equal_range(lookup.values.begin(), lookup.values.end(), value);
    if (fewest && fewest->size() <= static_cast<size_t>(last - first)) continue;
    const auto rows = lookup.rows.begin();
    fewest.emplace(rows + (first - lookup.values.begin()), rows + (last - lookup.values.begin()));
  }
  return fewest;
}

const RowSearch::Lookup& RowSearch::lookup_of(size_t column) {
  std::unique_ptr<const Lookup>& known = lookups_[column];
  if (known) return *known;
  auto lookup = std::make_unique<Lookup>();
  const ColumnValues values = column_at(*source_, column, rows_from(0, source_->row_count()));
  const bool is_text = values.type() == ColumnType::text;
  if (is_text) lookup->texts = values.shared_dictionary();
  for (const uint32_t row : order_of_values(values, false, true)) {
    if (values.is_absent(row)) continue;
    lookup->rows.push_back(row);
    lookup->values.push_back(is_text ? values.codes()[row] : values.integer(row));
  }
  known = std::move(lookup);
  return *known;
}

const std::vector<RowSearch::Bounds>& RowSearch::bounds_of(size_t column) {
  const auto [known, is_new] = bounds_.try_emplace(column);
  if (!is_new) return known->second;
  for (size_t first = 0; first < source_->row_count(); first += kRowBlock) {
    const std::vector<uint32_t> rows = rows_from(first, std::min(kRowBlock, source_->row_count() - first));
    const ColumnPart part(*source_, column, rows);
    Bounds bounds;
    for (size_t i = 0; i < rows.size(); ++i) {
      const size_t place = part.place(i, rows[i]);
      if (part.values().is_absent(place)) continue;
      bounds.low = std::min(bounds.low, part.values().integer(place));
      bounds.high = std::max(bounds.high, part.values().integer(place));
    }
    known->second.push_back(bounds);
  }
  return known->second;
}

bool RowSearch::may_hold(size_t block, const std::vector<RowCondition>& conditions) {
  return std::all_of(conditions.begin(), conditions.end(), [&](const RowCondition& condition) {
    if (source_->declared().columns[condition.column].type != ColumnType::integer) return true;
    const Bounds& bounds = bounds_of(condition.column)[block];
    return bounds.low <= condition.high && bounds.high >= condition.low;
  });
}

std::vector<uint32_t> RowSearch::matching(const std::vector<RowCondition>& conditions,
                                          std::vector<uint32_t> rows) const {
  for (const RowCondition& condition : conditions) {
    if (rows.empty()) break;
    const ColumnPart part(*source_, condition.column, rows);
    const ColumnValues& values = part.values();
    size_t kept = 0;
    const auto keep_where = [&](auto meets) {
      for (size_t i = 0; i < rows.size(); ++i) {
        const size_t place = part.place(i, rows[i]);
        if (!values.is_absent(place) && meets(place)) rows[kept++] = rows[i];
      }
    };
    if (values.type() == ColumnType::text) {
      const int32_t code = values.dictionary().find(condition.text);
      keep_where([&](size_t place) { return values.codes()[place] == code; });
    } else {
      keep_where([&](size_t place) {
        return condition.low <= values.integer(place) && values.integer(place) <= condition.high;
      });
    }
    rows.resize(kept);
  }
  return rows;
}

bool RowSearch::keeps(size_t column, const std::shared_ptr<const TextDictionary>& texts) {
  return texts_.try_emplace(column, texts).first->second == texts;
}

}  // namespace cgpu
