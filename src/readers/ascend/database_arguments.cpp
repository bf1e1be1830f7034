#include <algorithm>
#include <array>
#include <mutex>

#include "base/contains.h"
#include "base/to_size.h"
#include "readers/ascend/database.h"
#include "readers/common/row_arguments.h"
#include "readers/common/sqlite/rows_again.h"
#include "readers/common/texts_by_id.h"

namespace cgpu::ascend {

namespace {

/// Columns that the slice shows itself.
constexpr std::array<std::string_view, 4> kShown{"startNs", "endNs", "globalTid", "depth"};
/// Columns with ids of texts.
constexpr std::array<std::string_view, 20> kTexts{
    "name",         "opName",          "taskType",        "opType",         "groupName",
    "algType",      "message",         "inputShapes",     "inputDataTypes", "inputFormats",
    "outputShapes", "outputDataTypes", "outputFormats",   "attrInfo",       "inputDtypes",
    "opState",      "hf32Eligible",    "memcpyOperation", "args",           "gridDim"};

class RowArguments final : public ArgumentSource {
 public:
  explicit RowArguments(std::shared_ptr<sqlite::Database> database) : database_(std::move(database)) {
    sqlite::Scan scan(*database_, "COMPUTE_TASK_INFO", {"globalTaskId"});
    while (scan.next()) info_.emplace(scan.integer(0), scan.rowid());
  }

  void read_events(std::span<const uint64_t> sources, ArgumentBatch& batch) override {
    const std::lock_guard lock(mutex_);
    database_->begin_again();
    TextsById texts(*database_, "STRING_IDS");
    for (const uint64_t source : sources) {
      batch.begin_event();
      const uint64_t place = source >> kRowBits;
      const std::vector<std::string>& names = argument_tables();
      if (place >= names.size()) continue;
      std::vector<Argument> arguments;
      const auto row = static_cast<int64_t>(source & ((uint64_t{1} << kRowBits) - 1));
      const int64_t task = add_row(arguments, texts, names[to_size(place)], row);
      const auto info = info_.find(task);
      if (names[to_size(place)] == "TASK" && info != info_.end()) {
        add_row(arguments, texts, "COMPUTE_TASK_INFO", info->second);
      }
      for (const Argument& argument : arguments) batch.add(argument.key, argument.value, argument.json);
    }
  }

 private:
  /// Adds the columns of a row that were not there yet; answers with its globalTaskId.
  int64_t add_row(std::vector<Argument>& result, TextsById& texts, const std::string& name, int64_t row) {
    const auto table = database_->tables().find(name);
    if (table == database_->tables().end()) return -1;
    int64_t task = -1;
    sqlite::for_each_row(*database_, name, table->second, {&row, 1}, [&](sqlite::Scan& scan) {
      for (size_t i = 0; i < table->second.size(); ++i) {
        const std::string& column = table->second[i];
        if (column == "globalTaskId") task = scan.integer(static_cast<int>(i));
        const bool known =
            std::any_of(result.begin(), result.end(), [&](const Argument& a) { return a.key == column; });
        if (!known) add(result, texts, scan, static_cast<int>(i), column);
      }
    });
    return task;
  }

  static void add(std::vector<Argument>& result, TextsById& texts, sqlite::Scan& scan, int column,
                  const std::string& name) {
    if (scan.is_null(column) || contains(kShown, name)) return;
    const bool is_id = contains(kTexts, name) && !scan.is_text(column);
    const bool number = !is_id && !scan.is_text(column) && scan.is_number(column);
    result.push_back({name, is_id ? texts.at(scan.integer(column)) : std::string(scan.text(column)), number});
  }

  std::shared_ptr<sqlite::Database> database_;
  std::unordered_map<int64_t, int64_t> info_;  // row of COMPUTE_TASK_INFO by task
  std::mutex mutex_;
};

}  // namespace

std::shared_ptr<ArgumentSource> make_argument_source(std::shared_ptr<sqlite::Database> database) {
  return std::make_shared<RowArguments>(std::move(database));
}

}  // namespace cgpu::ascend
