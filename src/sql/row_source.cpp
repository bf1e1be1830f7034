#include "sql/row_source.h"

#include <stdexcept>
#include <utility>

namespace cgpu {

namespace {

class TableRows final : public RowSource {
 public:
  explicit TableRows(Table table) : RowSource(without_rows(table)), table_(std::move(table)) {}

  size_t row_count() const override { return table_.row_count(); }
  const ColumnValues* whole(size_t column) const override { return &table_.values(column); }
  ColumnValues values(size_t, std::span<const uint32_t>) const override {
    throw std::logic_error("a column that is held whole");
  }

 private:
  static Table without_rows(const Table& table) { return {table.name, table.about, table.columns}; }

  Table table_;
};

class EventRows final : public RowSource {
 public:
  EventRows(Table declared, std::unique_ptr<EventTable> events)
      : RowSource(std::move(declared)), events_(std::move(events)) {}

  size_t row_count() const override { return events_->row_count(); }
  const ColumnValues* whole(size_t) const override { return nullptr; }
  ColumnValues values(size_t column, std::span<const uint32_t> rows) const override {
    return events_->values(column, rows);
  }

 private:
  std::unique_ptr<EventTable> events_;
};

}  // namespace

std::unique_ptr<RowSource> rows_of_table(Table table) {
  return std::make_unique<TableRows>(std::move(table));
}

std::unique_ptr<RowSource> rows_of_events(const Analysis& analysis, const SessionFacts& facts) {
  std::unique_ptr<EventTable> events = analysis.events(analysis, facts, {});
  Table declared = analysis.empty_table();
  events->add_columns(declared.columns);
  return std::make_unique<EventRows>(std::move(declared), std::move(events));
}

}  // namespace cgpu
