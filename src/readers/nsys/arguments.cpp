#include "readers/nsys/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "base/credentials.h"
#include "base/error.h"
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

  std::vector<Argument> arguments(uint64_t source) override {
    const std::lock_guard lock(mutex_);
    const uint64_t place = source >> kRowBits;
    const std::vector<std::string>& names = argument_tables();
    if (place >= names.size()) return {};
    const auto table = database_->tables().find(names[place]);
    if (table == database_->tables().end()) return {};
    const uint64_t row = source & ((uint64_t{1} << kRowBits) - 1);
    sqlite::Scan scan(*database_, table->first, table->second, "WHERE rowid = " + std::to_string(row));
    std::vector<Argument> result;
    if (!scan.next()) throw Error(database_->name(), "has changed since it was opened: open it again");
    for (size_t i = 0; i < table->second.size(); ++i) add(result, scan, static_cast<int>(i), table->second[i]);
    return result;
  }

 private:
  void add(std::vector<Argument>& result, sqlite::Scan& scan, int column, const std::string& name) {
    if (scan.is_null(column) || is_any(kShown, name)) return;
    const bool is_id = is_any(kTexts, name) && !scan.is_text(column);
    std::string value = is_id ? text_of(scan.integer(column)) : std::string(scan.text(column));
    if (is_secret_key(name) || is_secret_value(value)) {
      result.push_back({name, "[hidden]", false});
    } else {
      result.push_back({name, std::move(value), !is_id && !scan.is_text(column) && scan.is_number(column)});
    }
  }

  std::string text_of(int64_t id) {
    sqlite::Scan text(*database_, "StringIds", {"value"}, fmt::format("WHERE id = {}", id));
    return text.next() ? std::string(text.text(0)) : std::to_string(id);
  }

  std::shared_ptr<sqlite::Database> database_;
  std::mutex mutex_;
};

}  // namespace

std::shared_ptr<ArgumentSource> make_argument_source(std::shared_ptr<sqlite::Database> database) {
  return std::make_shared<RowArguments>(std::move(database));
}

}  // namespace cgpu::nsys
