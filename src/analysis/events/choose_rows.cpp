#include "analysis/events/choose_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "table/batches.h"

namespace cgpu {

namespace {

Table declared_table(const Analysis& analysis, const EventTable& events) {
  Table table = analysis.empty_table();
  events.add_columns(table.columns);
  return table;
}

/// Rows that meet a filter, with the values that it has looked at.
struct Matching {
  std::vector<uint32_t> rows;
  std::vector<ColumnValues> values;  // of BatchFilter::columns

  void take(const std::vector<uint32_t>& places) {
    for (uint32_t i = 0; i < places.size(); ++i) rows[i] = rows[places[i]];
    rows.resize(places.size());
    for (ColumnValues& each : values) each.take(places);
  }
};

/// Of the rows [first, first + count).
Matching matching_rows(const EventTable& events, BatchFilter& filter, size_t first, size_t count) {
  Matching all;
  all.rows.resize(count);
  std::iota(all.rows.begin(), all.rows.end(), static_cast<uint32_t>(first));
  std::vector<const ColumnValues*> values;
  for (const size_t column : filter.columns()) all.values.push_back(events.values(column, all.rows));
  for (const ColumnValues& each : all.values) values.push_back(&each);
  const std::vector<uint32_t> places = filter.matches(count, values);
  if (places.size() < count) all.take(places);
  return all;
}

/// The rows with the first values of a column among those that are added; with top = 0 all of them. Amortised O(1) a
/// row that is not among them, O(log n) for one that is.
class FirstRows {
 public:
  FirstRows(ColumnType type, const Sort& sort, size_t top) : values_(type), descending_(sort.descending), top_(top) {}

  /// Rows come in the order of the table.
  void add(const std::vector<uint32_t>& rows, ColumnValues values) {
    if (is_full_) {
      std::vector<uint32_t> wanted;
      for (uint32_t place = 0; place < rows.size(); ++place) {
        if (is_before_last(values, place)) wanted.push_back(place);
      }
      for (const uint32_t place : wanted) rows_.push_back(rows[place]);
      values.take(wanted);
    } else {
      rows_.insert(rows_.end(), rows.begin(), rows.end());
    }
    values_.append_all(values);
    if (top_ > 0 && rows_.size() >= 2 * std::max(top_, kBatchRows)) cut();
  }

  std::vector<uint32_t> in_order() && {
    cut();
    return std::move(rows_);
  }

 private:
  /// Whether a row comes before the last one of the first `top` of before. One of equal value does not: it was added
  /// later.
  bool is_before_last(const ColumnValues& values, size_t place) const {
    const size_t last = top_ - 1;
    if (values.is_absent(place) || values_.is_absent(last)) return !values.is_absent(place) && values_.is_absent(last);
    const std::strong_ordering order = values.compare(place, values_, last);
    return descending_ ? order > 0 : order < 0;
  }

  /// Sorts, and leaves out what comes after the first `top`.
  void cut() {
    std::vector<uint32_t> order = sorted_rows(values_, descending_, top_);
    values_.take(order);
    for (uint32_t& place : order) place = rows_[place];
    rows_ = std::move(order);
    is_full_ = rows_.size() == top_;
  }

  // In the order in which they were added, but for those of the last cut, which are sorted.
  std::vector<uint32_t> rows_;
  ColumnValues values_;
  bool descending_;
  size_t top_;
  bool is_full_ = false;  // there are `top` sorted ones
};

}  // namespace

ChosenRows::ChosenRows(const Analysis& analysis, const EventTable& events, RowChoice choice)
    : events_(events),
      choice_(std::move(choice)),
      declared_(declared_table(analysis, events)),
      filter_(choice_.where, declared_),
      left_(choice_.top == 0 ? SIZE_MAX : choice_.top) {
  if (choice_.sort.empty()) return;
  sort_ = parse_sort(declared_, choice_.sort);
  declared_.sorted_by = sorted_by_text(declared_, *sort_);
}

std::optional<Table> ChosenRows::next() {
  std::optional<Table> batch = sort_ ? next_in_order() : next_in_table();
  if (!batch && is_first_) batch = declared_;
  is_first_ = false;
  return batch;
}

std::optional<Table> ChosenRows::next_in_table() {
  const std::vector<size_t>& looked_at = filter_.columns();
  while (left_ > 0 && at_ < events_.row_count()) {
    size_t count = std::min(kBatchRows, events_.row_count() - at_);
    if (looked_at.empty()) count = std::min(count, left_);
    Matching matching = matching_rows(events_, filter_, at_, count);
    at_ += count;
    if (matching.rows.size() > left_) {
      std::vector<uint32_t> first(left_);
      std::iota(first.begin(), first.end(), 0);
      matching.take(first);
    }
    if (matching.rows.empty()) continue;
    left_ -= matching.rows.size();

    Table batch = declared_;
    for (size_t column = 0; column < batch.columns.size(); ++column) {
      const auto made = std::find(looked_at.begin(), looked_at.end(), column);
      batch.set_values(column, made == looked_at.end()
                                   ? events_.values(column, matching.rows)
                                   : std::move(matching.values[static_cast<size_t>(made - looked_at.begin())]));
    }
    return batch;
  }
  return std::nullopt;
}

std::optional<Table> ChosenRows::next_in_order() {
  if (!in_order_) in_order_ = sorted();
  if (at_ == in_order_->size()) return std::nullopt;
  const std::span rows = std::span(*in_order_).subspan(at_, std::min(kBatchRows, in_order_->size() - at_));
  at_ += rows.size();
  Table batch = declared_;
  for (size_t column = 0; column < batch.columns.size(); ++column) {
    batch.set_values(column, events_.values(column, rows));
  }
  return batch;
}

std::vector<uint32_t> ChosenRows::sorted() {
  const std::vector<size_t>& looked_at = filter_.columns();
  const auto made = std::find(looked_at.begin(), looked_at.end(), sort_->column);
  FirstRows first(declared_.columns[sort_->column].type, *sort_, choice_.top);
  for (size_t at = 0; at < events_.row_count(); at += kBatchRows) {
    Matching matching = matching_rows(events_, filter_, at, std::min(kBatchRows, events_.row_count() - at));
    first.add(matching.rows, made == looked_at.end()
                                 ? events_.values(sort_->column, matching.rows)
                                 : std::move(matching.values[static_cast<size_t>(made - looked_at.begin())]));
  }
  return std::move(first).in_order();
}

Table chosen_rows(const Analysis& analysis, const EventTable& events, const RowChoice& choice) {
  ChosenRows rows(analysis, events, choice);
  Table all = rows.declared();
  while (const std::optional<Table> batch = rows.next()) all.append_all(*batch);
  all.sorted_by = rows.declared().sorted_by;
  return all;
}

Table whole_event_table(const Analysis& analysis, const EventTable& events) {
  return chosen_rows(analysis, events, {});
}

size_t count_rows(const Analysis& analysis, const EventTable& events, const Filter& where) {
  BatchFilter filter(where, declared_table(analysis, events));
  if (filter.columns().empty()) return events.row_count();
  size_t count = 0;
  for (size_t at = 0; at < events.row_count(); at += kBatchRows) {
    count += matching_rows(events, filter, at, std::min(kBatchRows, events.row_count() - at)).rows.size();
  }
  return count;
}

}  // namespace cgpu
