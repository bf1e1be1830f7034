#include <algorithm>
#include <array>
#include <mutex>

#include "base/credentials.h"
#include "base/error.h"
#include "readers/ascend/database.h"

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

template <size_t N>
bool is_any(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class RowArguments final : public ArgumentSource {
 public:
  explicit RowArguments(std::shared_ptr<sqlite::Database> database) : database_(std::move(database)) {
    sqlite::Scan scan(*database_, "COMPUTE_TASK_INFO", {"globalTaskId"});
    while (scan.next()) info_.emplace(scan.integer(0), scan.rowid());
  }

  std::vector<Argument> arguments(uint64_t source) override {
    const std::lock_guard lock(mutex_);
    const uint64_t place = source >> kRowBits;
    const std::vector<std::string>& names = argument_tables();
    if (place >= names.size()) return {};
    const auto row = static_cast<int64_t>(source & ((uint64_t{1} << kRowBits) - 1));
    std::vector<Argument> result;
    const int64_t task = add_row(result, names[place], row);
    const auto info = info_.find(task);
    if (names[place] == "TASK" && info != info_.end()) add_row(result, "COMPUTE_TASK_INFO", info->second);
    return result;
  }

 private:
  /// Adds the columns of a row that were not there yet; answers with its globalTaskId.
  int64_t add_row(std::vector<Argument>& result, const std::string& name, int64_t row) {
    const auto table = database_->tables().find(name);
    if (table == database_->tables().end()) return -1;
    sqlite::Scan scan(*database_, name, table->second, "WHERE rowid = " + std::to_string(row));
    if (!scan.next()) throw Error(database_->name(), "has changed since it was opened: open it again");
    int64_t task = -1;
    for (size_t i = 0; i < table->second.size(); ++i) {
      const std::string& column = table->second[i];
      if (column == "globalTaskId") task = scan.integer(static_cast<int>(i));
      const bool known = std::any_of(result.begin(), result.end(), [&](const Argument& a) { return a.key == column; });
      if (!known) add(result, scan, static_cast<int>(i), column);
    }
    return task;
  }

  void add(std::vector<Argument>& result, sqlite::Scan& scan, int column, const std::string& name) {
    if (scan.is_null(column) || is_any(kShown, name)) return;
    const bool is_id = is_any(kTexts, name) && !scan.is_text(column);
    std::string value = is_id ? text_of(scan.integer(column)) : std::string(scan.text(column));
    const bool secret = is_secret_key(name) || is_secret_value(value);
    const bool number = !is_id && !scan.is_text(column) && scan.is_number(column);
    result.push_back({name, secret ? "[hidden]" : std::move(value), number && !secret});
  }

  std::string text_of(int64_t id) {
    sqlite::Scan text(*database_, "STRING_IDS", {"value"}, "WHERE id = " + std::to_string(id));
    return text.next() ? std::string(text.text(0)) : std::to_string(id);
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
