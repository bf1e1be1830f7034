#include "readers/common/row_arguments.h"

#include <algorithm>
#include <mutex>

#include "base/contains.h"
#include "base/to_size.h"
#include "model/timeline.h"
#include "readers/common/texts_by_id.h"

namespace cgpu {

namespace {

class RowArguments final : public ArgumentSource {
 public:
  RowArguments(std::shared_ptr<TableSource> tables, RowLayout layout)
      : tables_(std::move(tables)), layout_(std::move(layout)) {}

  void read_events(std::span<const uint64_t> sources, ArgumentBatch& batch) override {
    const std::lock_guard lock(mutex_);
    tables_->begin_again();
    TextsById texts(*tables_, layout_.texts, layout_.id);
    const std::vector<std::string>& names = layout_.tables;
    for (size_t first = 0; first < sources.size();) {
      const uint64_t place = sources[first] >> kRowBits;
      std::vector<int64_t> rows;
      for (; first < sources.size() && sources[first] >> kRowBits == place; ++first) {
        rows.push_back(static_cast<int64_t>(sources[first] & ((uint64_t{1} << kRowBits) - 1)));
      }
      const auto table = place < names.size() ? tables_->tables().find(names[to_size(place)]) : tables_->tables().end();
      if (table == tables_->tables().end()) {
        for (size_t row = 0; row < rows.size(); ++row) batch.begin_event();
        continue;
      }
      const std::vector<Column> columns = columns_of(table->second);
      tables_->for_each_row(table->first, table->second, rows, [&](Row& row) {
        batch.begin_event();
        for (const Column& column : columns) add(column, row, texts, batch);
      });
    }
  }

 private:
  struct Column {
    int number;
    const std::string& name;
    bool is_id;  // may hold the id of a text
  };

  std::vector<Column> columns_of(const std::vector<std::string>& names) const {
    std::vector<Column> columns;
    for (size_t i = 0; i < names.size(); ++i) {
      if (contains(layout_.shown, names[i])) continue;
      columns.push_back({static_cast<int>(i), names[i], contains(layout_.text_columns, names[i])});
    }
    return columns;
  }

  static void add(const Column& column, Row& row, TextsById& texts, ArgumentBatch& batch) {
    if (row.is_null(column.number)) return;
    const bool is_text = row.is_text(column.number);
    if (column.is_id && !is_text) return batch.add(column.name, texts.at(row.integer(column.number)), false);
    batch.add(column.name, row.text(column.number), !is_text && row.is_number(column.number));
  }

  std::shared_ptr<TableSource> tables_;
  RowLayout layout_;
  std::mutex mutex_;
};

}  // namespace

uint64_t source_of_row(uint64_t table, int64_t row) {
  const bool fits = row >= 0 && row < int64_t{1} << kRowBits;
  return fits ? table << kRowBits | static_cast<uint64_t>(row) : kNoSource;
}

uint64_t RowLayout::place_of(const std::string& table) const {
  return static_cast<uint64_t>(std::find(tables.begin(), tables.end(), table) - tables.begin());
}

std::shared_ptr<ArgumentSource> make_row_arguments(std::shared_ptr<TableSource> tables, RowLayout layout) {
  return std::make_shared<RowArguments>(std::move(tables), std::move(layout));
}

}  // namespace cgpu
