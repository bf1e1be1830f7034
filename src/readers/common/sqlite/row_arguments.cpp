#include "readers/common/sqlite/row_arguments.h"

#include <algorithm>
#include <mutex>

#include "base/contains.h"
#include "model/timeline.h"
#include "readers/common/sqlite/rows_again.h"

namespace cgpu::sqlite {

namespace {

class RowArguments final : public ArgumentSource {
 public:
  RowArguments(std::shared_ptr<Database> database, RowLayout layout)
      : database_(std::move(database)), layout_(std::move(layout)) {}

  void read_events(std::span<const uint64_t> sources, ArgumentBatch& batch) override {
    const std::lock_guard lock(mutex_);
    database_->begin_again();
    TextsById texts(*database_, layout_.texts, layout_.id);
    const std::vector<std::string>& names = layout_.tables;
    for (size_t first = 0; first < sources.size();) {
      const uint64_t place = sources[first] >> kRowBits;
      std::vector<int64_t> rows;
      for (; first < sources.size() && sources[first] >> kRowBits == place; ++first) {
        rows.push_back(static_cast<int64_t>(sources[first] & ((uint64_t{1} << kRowBits) - 1)));
      }
      const auto table = place < names.size() ? database_->tables().find(names[place]) : database_->tables().end();
      if (table == database_->tables().end()) {
        for (size_t row = 0; row < rows.size(); ++row) batch.begin_event();
        continue;
      }
      const std::vector<Column> columns = columns_of(table->second);
      for_each_row(*database_, table->first, table->second, rows, [&](Scan& scan) {
        batch.begin_event();
        for (const Column& column : columns) add(column, scan, texts, batch);
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

  static void add(const Column& column, Scan& scan, TextsById& texts, ArgumentBatch& batch) {
    if (scan.is_null(column.number)) return;
    const bool is_text = scan.is_text(column.number);
    if (column.is_id && !is_text) return batch.add(column.name, texts.at(scan.integer(column.number)), false);
    batch.add(column.name, scan.text(column.number), !is_text && scan.is_number(column.number));
  }

  std::shared_ptr<Database> database_;
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

std::shared_ptr<ArgumentSource> make_row_arguments(std::shared_ptr<Database> database, RowLayout layout) {
  return std::make_shared<RowArguments>(std::move(database), std::move(layout));
}

}  // namespace cgpu::sqlite
