// The rows that SQL sees of a table, a column at a time: a table that has been made whole, or a table of events whose
// columns are made for the rows that are asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "analysis/analysis.h"
#include "analysis/events/event_table.h"
#include "table/table.h"

namespace cgpu {

/// For one thread at a time.
class RowSource {
 public:
  virtual ~RowSource() = default;
  /// Its name, meaning and columns, without rows.
  const Table& declared() const { return declared_; }
  virtual size_t row_count() const = 0;
  /// All values of a column by row, where the source holds them; else null.
  virtual const ColumnValues* whole(size_t column) const = 0;
  /// The values of a column at these rows, which may come in any order. Where the source does not hold it whole.
  virtual ColumnValues values(size_t column, std::span<const uint32_t> rows) const = 0;

 protected:
  explicit RowSource(Table declared) : declared_(std::move(declared)) {}

 private:
  Table declared_;
};

std::unique_ptr<RowSource> rows_of_table(Table table);
/// `facts` must outlive the rows. O(n) to begin with, as the table of events says.
std::unique_ptr<RowSource> rows_of_events(const Analysis& analysis, const SessionFacts& facts);

/// The values of a column at some rows, wherever they are. Refers to the source.
class ColumnPart {
 public:
  ColumnPart(const RowSource& source, size_t column, std::span<const uint32_t> rows) : whole_(source.whole(column)) {
    if (whole_ == nullptr) made_ = std::make_unique<const ColumnValues>(source.values(column, rows));
  }
  const ColumnValues& values() const { return whole_ != nullptr ? *whole_ : *made_; }
  /// Where the value of `row`, the i-th of the rows, is in values().
  size_t place(size_t i, uint32_t row) const { return whole_ != nullptr ? row : i; }

 private:
  const ColumnValues* whole_;
  std::unique_ptr<const ColumnValues> made_;
};

}  // namespace cgpu
