// The table: what every analysis answers with, and all that a renderer knows.
//
// A table is columns: each has a declaration (name, type, unit, meaning, role) and a buffer of values. Rows are put
// together on demand.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "table/column_values.h"

namespace cgpu {

/// What a column is for.
enum class ColumnRole : uint8_t {
  key,      // says which row it is: a name, a rank, a device
  measure,  // says how much: a duration, a count, a share
  depth,    // says how many rows above it in the same table it is part of: how far a tree is indented
  moment,   // a time on the clock of the session, in ns from its start
  text,     // says more about the row
};
const char* text_of(ColumnRole role);  // "key", ...
const char* text_of(ColumnType type);  // "int", "float", "text"

/// How much a column says of its row: text that is too wide for a terminal leaves out the least first.
enum class ColumnWeight : uint8_t {
  detail,  // follows from other columns, or says more than most readers want
  usual,
  main,  // what one reads the table for
};

struct Column {
  std::string name;  // with the unit as suffix (_ns, _pct, _bytes)
  ColumnType type = ColumnType::text;
  std::string unit;   // "ns", "%", "bytes", "GB/s", "count", "" for none
  std::string about;  // one line; a percentage names its whole
  ColumnRole role = ColumnRole::measure;
  ColumnWeight weight = ColumnWeight::usual;
};

/// A row by itself, one cell a column.
using Row = std::vector<Cell>;

class Table;

/// A row of a table, which must outlive it and not change meanwhile.
class RowView {
 public:
  RowView(const Table& table, size_t row) : table_(&table), row_(row) {}
  Cell operator[](size_t column) const;
  size_t size() const;
  size_t index() const { return row_; }
  /// All cells.
  Row cells() const;

 private:
  const Table* table_;
  size_t row_;
};

class Table {
 public:
  Table() = default;
  Table(std::string table_name, std::string meaning, std::vector<Column> table_columns = {})
      : name(std::move(table_name)), about(std::move(meaning)), columns(std::move(table_columns)) {}

  std::string name;
  std::string about;  // one line
  std::string per;    // what the figures are of: "iteration", "whole"; "" where there is no choice
  /// The column that the rows are ordered by, absent values last, as sort_rows takes it: "-total_ns", "+name". "" where
  /// no single column orders them. Set by what orders the rows; rows that are appended or ordered otherwise clear it.
  std::string sorted_by;
  /// May be added to as long as there are no rows.
  std::vector<Column> columns;

  /// Index of a column; throws Error naming the columns there are.
  size_t column(std::string_view wanted) const;

  size_t row_count() const { return row_count_; }
  bool empty() const { return row_count_ == 0; }
  /// One cell a column, of the column's type.
  void append(const Row& row);
  /// All rows of a table with the same columns.
  void append_all(const Table& other);

  Cell cell(size_t row, size_t column) const { return values(column).cell(row); }
  RowView row(size_t row) const { return {*this, row}; }

  /// For `for (const RowView row : table.rows())`.
  class Rows {
   public:
    class Iterator {
     public:
      using difference_type = std::ptrdiff_t;
      using value_type = RowView;
      using pointer = void;
      using reference = RowView;
      using iterator_category = std::random_access_iterator_tag;
      Iterator(const Table& table, size_t row) : table_(&table), row_(row) {}
      Iterator() = default;
      RowView operator*() const { return {*table_, row_}; }
      Iterator& operator++() {
        ++row_;
        return *this;
      }
      Iterator operator++(int) {
        Iterator before = *this;
        ++row_;
        return before;
      }
      Iterator& operator--() {
        --row_;
        return *this;
      }
      Iterator& operator+=(difference_type steps) {
        row_ = static_cast<size_t>(static_cast<difference_type>(row_) + steps);
        return *this;
      }
      difference_type operator-(const Iterator& other) const {
        return static_cast<difference_type>(row_) - static_cast<difference_type>(other.row_);
      }
      bool operator==(const Iterator& other) const { return row_ == other.row_; }

     private:
      const Table* table_ = nullptr;
      size_t row_ = 0;
    };
    explicit Rows(const Table& table) : table_(table) {}
    Iterator begin() const { return Iterator(table_, 0); }
    Iterator end() const { return Iterator(table_, table_.row_count()); }
    size_t size() const { return table_.row_count(); }

   private:
    const Table& table_;
  };
  Rows rows() const { return Rows(*this); }

  /// The values of a column.
  const ColumnValues& values(size_t column) const;
  /// Takes over a column's values; all columns must get equally many.
  void set_values(size_t column, ColumnValues values);
  /// Replaces a column by another one with as many values.
  void replace_column(size_t column, Column declaration, ColumnValues values);
  /// Replaces each text of a column by another one.
  void map_text(size_t column, const std::function<std::string(std::string_view)>& text_for);
  void reserve(size_t rows);

  /// Keeps these rows, in this order.
  void take(const std::vector<uint32_t>& rows);
  /// Keeps the rows for which `wanted` holds.
  void keep_rows(const std::function<bool(RowView)>& wanted);
  /// Orders the rows; `before` is a strict weak order of two row numbers. Equal rows keep their order.
  void sort(const std::function<bool(uint32_t, uint32_t)>& before);
  void clear_rows();
  /// Removes a column with its values.
  void erase_column(size_t column);

 private:
  /// One buffer a column from here on.
  void make_values();

  size_t row_count_ = 0;
  std::vector<ColumnValues> values_;  // one a column, or none before the first row comes
};

/// The same columns and rows.
bool operator==(const Table& a, const Table& b);

/// The column to leave out first where there is no room for all: the last one of the least weight, never the first of
/// the table. Two columns or more.
size_t least_column(const std::vector<Column>& columns);

/// How many rows a renderer shows under a limit; a limit of 0 means all.
size_t shown_rows(const Table& table, size_t max_rows);

}  // namespace cgpu
