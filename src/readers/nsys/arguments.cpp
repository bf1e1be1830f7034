#include "readers/nsys/arguments.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "readers/common/sqlite/rows_again.h"
#include "readers/nsys/assembler.h"

namespace cgpu::nsys {

namespace {

/// Columns that the slice shows itself.
constexpr std::array<std::string_view, 3> kShown{"start", "end", "globalTid"};
/// Columns with ids of texts.
constexpr std::array<std::string_view, 9> kTexts{"nameId",     "textId",   "demangledName", "shortName", "mangledName",
                                                 "jsonTextId", "funcName", "srcFile",       "varName"};

template <size_t N>
bool is_any(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class RowArguments final : public ArgumentSource {
 public:
  explicit RowArguments(std::shared_ptr<sqlite::Database> database) : database_(std::move(database)) {}

  void read_events(std::span<const uint64_t> sources, ArgumentBatch& batch) override {
    const std::lock_guard lock(mutex_);
    database_->begin_again();
    sqlite::TextsById texts(*database_, "StringIds");
    const std::vector<std::string>& names = argument_tables();
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
      sqlite::for_each_row(*database_, table->first, table->second, rows, [&](sqlite::Scan& scan) {
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

  static std::vector<Column> columns_of(const std::vector<std::string>& names) {
    std::vector<Column> columns;
    for (size_t i = 0; i < names.size(); ++i) {
      if (!is_any(kShown, names[i])) columns.push_back({static_cast<int>(i), names[i], is_any(kTexts, names[i])});
    }
    return columns;
  }

  static void add(const Column& column, sqlite::Scan& scan, sqlite::TextsById& texts, ArgumentBatch& batch) {
    if (scan.is_null(column.number)) return;
    const bool is_text = scan.is_text(column.number);
    if (column.is_id && !is_text) return batch.add(column.name, texts.at(scan.integer(column.number)), false);
    batch.add(column.name, scan.text(column.number), !is_text && scan.is_number(column.number));
  }

  std::shared_ptr<sqlite::Database> database_;
  std::mutex mutex_;
};

}  // namespace

std::shared_ptr<ArgumentSource> make_argument_source(std::shared_ptr<sqlite::Database> database) {
  return std::make_shared<RowArguments>(std::move(database));
}

}  // namespace cgpu::nsys
