// Tables of rows, whatever holds them (an SQLite database, the messages of a report), so that one mapping reads all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "readers/common/table_value.h"

namespace cgpu {

/// A row of a table. Columns are named by their place in the list that was asked for; those that the table lacks read
/// as null.
class Row {
 public:
  virtual ~Row() = default;

  virtual int64_t rowid() const = 0;
  virtual ValueType type(int column) const = 0;
  /// 0 where it is null.
  virtual int64_t integer(int column) const = 0;
  virtual double real(int column) const = 0;
  /// Valid until the next row.
  virtual std::string_view text(int column) = 0;

  bool is_null(int column) const { return type(column) == ValueType::null; }
  bool is_text(int column) const { return type(column) == ValueType::text; }
  bool is_number(int column) const { return type(column) == ValueType::integer || type(column) == ValueType::real; }
};

/// One pass over the rows of a table, with each as the current one in turn.
class RowScan : public Row {
 public:
  /// The next row; false at the end, also where the rest cannot be read: see `error`.
  virtual bool next() = 0;
  /// Empty, or why the pass ended early.
  virtual const std::string& error() const = 0;
};

/// For one thread at a time.
class TableSource {
 public:
  virtual ~TableSource() = default;

  /// Column names of the tables, by name of the table.
  virtual const std::map<std::string, std::vector<std::string>>& tables() const = 0;
  bool has(const std::string& table) const { return tables().count(table) != 0; }
  bool has_column(const std::string& table, std::string_view column) const {
    const auto found = tables().find(table);
    return found != tables().end() &&
           std::find(found->second.begin(), found->second.end(), column) != found->second.end();
  }
  /// Whether the table exists and has a row.
  virtual bool has_rows(const std::string& table) const = 0;
  /// Room for the rows of a table: not fewer than it has where that is known, and no more than the file could hold.
  virtual uint64_t rows_expected(const std::string& table) const = 0;
  /// Bytes that hold the tables.
  virtual uint64_t size() const = 0;

  virtual std::unique_ptr<RowScan> scan(const std::string& table, const std::vector<std::string>& columns) = 0;

  /// What is read from here on is read again: it may cost as much as the first time.
  virtual void begin_again() {}
  /// Calls visit(row) for each of `rows` (row ids), in ascending order. Throws Error where one is missing.
  virtual void for_each_row(const std::string& table, const std::vector<std::string>& columns,
                            std::span<const int64_t> rows, const std::function<void(Row&)>& visit) = 0;
  /// The column `value` of the first row whose column `id_column` is `id`; the number where there is none.
  virtual std::string text_with_id(const std::string& table, const std::string& id_column, int64_t id) = 0;
};

}  // namespace cgpu
