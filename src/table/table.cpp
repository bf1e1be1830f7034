#include "table/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "base/error.h"
#include "table/unicode.h"

namespace cgpu {

const char* text_of(ColumnRole role) {
  switch (role) {
    case ColumnRole::key:
      return "key";
    case ColumnRole::measure:
      return "measure";
    case ColumnRole::depth:
      return "depth";
    case ColumnRole::moment:
      return "moment";
    case ColumnRole::text:
      break;
  }
  return "text";
}

const char* text_of(ColumnType type) {
  switch (type) {
    case ColumnType::integer:
      return "int";
    case ColumnType::real:
      return "float";
    case ColumnType::text:
      break;
  }
  return "text";
}

Cell RowView::operator[](size_t column) const {
  return table_->cell(row_, column);
}

size_t RowView::size() const {
  return table_->columns.size();
}

Row RowView::cells() const {
  Row row;
  for (size_t column = 0; column < size(); ++column) row.push_back((*this)[column]);
  return row;
}

size_t Table::column(std::string_view wanted) const {
  std::string known;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == wanted) return i;
    if (i > 0) known += ", ";
    known += printable(columns[i].name);
  }
  throw Error(fmt::format("table {} has no column '{}' (it has: {})", name, printable(wanted), known));
}

void Table::make_values() {
  if (values_.size() == columns.size()) return;
  if (row_count_ > 0) throw std::logic_error("table " + name + ": a column was added behind the first row");
  values_.clear();
  for (const Column& each : columns) values_.emplace_back(each.type);
}

void Table::append(const Row& row) {
  make_values();
  if (row.size() != columns.size()) throw std::logic_error("table " + name + ": a row of another length");
  for (size_t column = 0; column < row.size(); ++column) values_[column].append(row[column]);
  ++row_count_;
  sorted_by.clear();
}

void Table::append_all(const Table& other) {
  make_values();
  if (other.columns.size() != columns.size()) throw std::logic_error("table " + name + ": rows of another length");
  for (size_t column = 0; column < columns.size(); ++column) values_[column].append_all(other.values(column));
  row_count_ += other.row_count_;
  sorted_by.clear();
}

const ColumnValues& Table::values(size_t column) const {
  static const std::array<ColumnValues, 3> none = {ColumnValues(ColumnType::integer), ColumnValues(ColumnType::real),
                                                   ColumnValues(ColumnType::text)};
  return column < values_.size() ? values_[column] : none[static_cast<size_t>(columns[column].type)];
}

void Table::set_values(size_t column, ColumnValues values) {
  make_values();
  row_count_ = values.size();
  values_[column] = std::move(values);
}

void Table::replace_column(size_t column, Column declaration, ColumnValues values) {
  if (values.size() != row_count_) throw std::logic_error("table " + name + ": a column of another length");
  make_values();
  columns[column] = std::move(declaration);
  values_[column] = std::move(values);
}

void Table::map_text(size_t column, const std::function<std::string(std::string_view)>& text_for) {
  ColumnValues mapped(ColumnType::text);
  const ColumnValues& texts = values(column);
  for (size_t row = 0; row < row_count_; ++row) {
    if (texts.is_absent(row)) {
      mapped.append_absent();
    } else {
      mapped.append(std::string_view(text_for(texts.text(row))));
    }
  }
  set_values(column, std::move(mapped));
}

void Table::reserve(size_t rows) {
  make_values();
  for (ColumnValues& values : values_) values.reserve(rows);
}

void Table::take(const std::vector<uint32_t>& rows) {
  make_values();
  for (ColumnValues& values : values_) values.take(rows);
  if (!std::is_sorted(rows.begin(), rows.end())) sorted_by.clear();
  row_count_ = rows.size();
}

void Table::keep_rows(const std::function<bool(RowView)>& wanted) {
  std::vector<uint32_t> kept;
  for (uint32_t i = 0; i < row_count_; ++i) {
    if (wanted(row(i))) kept.push_back(i);
  }
  if (kept.size() < row_count_) take(kept);
}

void Table::sort(const std::function<bool(uint32_t, uint32_t)>& before) {
  std::vector<uint32_t> order(row_count_);
  std::iota(order.begin(), order.end(), 0);
  if (std::is_sorted(order.begin(), order.end(), before)) return;
  std::stable_sort(order.begin(), order.end(), before);
  take(order);
}

void Table::clear_rows() {
  values_.clear();
  row_count_ = 0;
}

void Table::erase_column(size_t column) {
  make_values();
  if (!sorted_by.empty() && sorted_by.substr(1) == columns[column].name) sorted_by.clear();
  columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(column));
  values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(column));
}

bool operator==(const Table& a, const Table& b) {
  if (a.columns.size() != b.columns.size() || a.row_count() != b.row_count()) return false;
  for (size_t column = 0; column < a.columns.size(); ++column) {
    if (a.columns[column].name != b.columns[column].name || a.columns[column].type != b.columns[column].type)
      return false;
    for (size_t row = 0; row < a.row_count(); ++row) {
      if (a.values(column).compare(row, b.values(column), row) != 0) return false;
    }
  }
  return true;
}

size_t least_column(const std::vector<Column>& columns) {
  size_t least = columns.size() - 1;
  for (size_t column = least; column-- > 1;) {
    if (columns[column].weight < columns[least].weight) least = column;
  }
  return least;
}

size_t shown_rows(const Table& table, size_t max_rows) {
  return max_rows == 0 ? table.row_count() : std::min(max_rows, table.row_count());
}

}  // namespace cgpu
