#include "sql/arguments_module.h"

#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/events/slice_numbers.h"
#include "base/error.h"
#include "model/argument_reader.h"
#include "sql/virtual_table.h"

namespace cgpu {

namespace {

enum ArgumentsColumn : int { kKey, kValue, kSlice };
enum Asked : int { kOneSlice = 1, kOneKey = 2 };  // of xFilter, in this order of the values

struct ArgumentsTable : sqlite3_vtab {
  explicit ArgumentsTable(const Session& of) : sqlite3_vtab{}, session(&of) {}
  const Session* session;
};

class ArgumentsCursor : public sqlite3_vtab_cursor {
 public:
  explicit ArgumentsCursor(const ArgumentsTable& table)
      : sqlite3_vtab_cursor{}, session_(*table.session), numbers_(session_) {}

  void filter(int asked, const char*, std::span<sqlite3_value*> values) {
    run_ = 0;
    next_ = 0;
    number_ = 0;
    end_of_run_.reset();
    std::vector<std::string> keys;
    if ((asked & kOneKey) != 0) {
      const auto* key = reinterpret_cast<const char*>(sqlite3_value_text(values.back()));
      if (key == nullptr) return clear();
      keys.emplace_back(key, static_cast<size_t>(sqlite3_value_bytes(values.back())));
    }
    readers_.clear();
    for (const Run& run : session_.runs) readers_.emplace_back(run.arguments.get(), 0, keys);
    if ((asked & kOneSlice) == 0) return next_batch();
    const auto place = sqlite3_value_numeric_type(values[0]) == SQLITE_INTEGER
                           ? numbers_.place(sqlite3_value_int64(values[0]))
                           : std::nullopt;
    if (!place) return clear();
    run_ = place->run;
    next_ = place->event;
    end_of_run_ = place->event + 1;
    next_batch();
  }

  bool at_end() const { return at_ == rows_.size(); }
  void next() {
    ++number_;
    if (++at_ == rows_.size()) next_batch();
  }
  int64_t row_number() const { return number_; }

  void give(sqlite3_context* context, int column) const {
    const Row& row = rows_[at_];
    const std::string_view text = std::string_view(text_).substr(row.at);
    const auto give_text = [&](std::string_view part) {
      sqlite3_result_text64(context, part.data(), part.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    };
    switch (column) {
      case kKey:
        return give_text(text.substr(0, row.key_size));
      case kSlice:
        return sqlite3_result_int64(context, row.slice);
      default:
        break;
    }
    const std::string_view value = text.substr(row.key_size, row.value_size);
    if (!row.json) return give_text(value);
    if (value == "null") return;
    const char* end = value.data() + value.size();
    int64_t integer = 0;
    if (const auto read = std::from_chars(value.data(), end, integer); read.ptr == end && read.ec == std::errc()) {
      return sqlite3_result_int64(context, integer);
    }
    const bool is_integer = value.find_first_not_of("-0123456789") == std::string_view::npos;  // beyond 64 bits: a text
    double real = 0;
    if (const auto read = std::from_chars(value.data(), end, real);
        !is_integer && read.ptr == end && read.ec == std::errc()) {
      return sqlite3_result_double(context, real);
    }
    give_text(value);
  }

 private:
  struct Row {
    int64_t slice;
    size_t at;  // of the key in the text, the value behind it
    size_t key_size;
    size_t value_size;
    bool json;
  };

  void clear() {
    rows_.clear();
    text_.clear();
    at_ = 0;
  }

  /// The arguments of the next slices that have any.
  void next_batch() {
    clear();
    while (rows_.empty() && run_ < session_.runs.size()) {
      const std::vector<uint64_t>& sources = wanted_sources();
      readers_[run_].for_each(sources, [&](size_t i, std::span<const ArgumentView> views) {
        for (const ArgumentView& view : views) {
          rows_.push_back({*numbers_.number(run_, static_cast<SliceIndex>(next_ + i)), text_.size(), view.key.size(),
                           view.value.size(), view.json});
          text_.append(view.key).append(view.value);
        }
      });
      next_ += sources.size();
      if (next_ < end_of_run()) continue;
      run_ = end_of_run_ ? session_.runs.size() : run_ + 1;
      next_ = 0;
    }
  }

  size_t end_of_run() const { return end_of_run_.value_or(session_.runs[run_].timeline.slices.size()); }

  const std::vector<uint64_t>& wanted_sources() {
    constexpr size_t kBatch = size_t{1} << 15;
    const Slices& slices = session_.runs[run_].timeline.slices;
    sources_.clear();
    for (size_t slice = next_; slice < end_of_run() && sources_.size() < kBatch; ++slice) {
      sources_.push_back(slices.source[static_cast<SliceIndex>(slice)]);
    }
    return sources_;
  }

  const Session& session_;
  const SliceNumbers numbers_;
  std::deque<ArgumentReader> readers_;  // by run
  size_t run_ = 0;                      // of the next slices to read
  size_t next_ = 0;                     // the first of them
  std::optional<size_t> end_of_run_;    // where one slice is wanted: behind it
  std::vector<uint64_t> sources_;
  std::vector<Row> rows_;  // of the batch
  std::string text_;
  size_t at_ = 0;
  int64_t number_ = 0;  // of the row
};

int connect_arguments(sqlite3* database, void* schemas, int, const char* const* words, sqlite3_vtab** made,
                      char** message) {
  return without_exceptions(message, [&] {
    const SessionFacts* facts = static_cast<TablesBySchema*>(schemas)->at(words[1])->facts();
    if (facts == nullptr) throw Error("a summary has no arguments of events: give the profile that it was made of");
    const std::string statement = std::string("CREATE TABLE arguments (\n  ") + kArgumentsColumns + ")";
    if (sqlite3_declare_vtab(database, statement.c_str()) != SQLITE_OK) throw Error(sqlite3_errmsg(database));
    *made = new ArgumentsTable(facts->session());
    return SQLITE_OK;
  });
}

int best_index_of_arguments(sqlite3_vtab*, sqlite3_index_info* info) {
  int places[] = {-1, -1};  // of the conditions on the slice and on the key
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.usable == 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (constraint.iColumn == kSlice) places[0] = i;
    if (constraint.iColumn == kKey && std::string_view(sqlite3_vtab_collation(info, i)) == "BINARY") places[1] = i;
  }
  int values = 0;
  for (const int at : {0, 1}) {
    if (places[at] < 0) continue;
    info->aConstraintUsage[places[at]].argvIndex = ++values;
    info->idxNum |= at == 0 ? kOneSlice : kOneKey;
  }
  constexpr double kOfSlice = 10;
  constexpr double kOfAll = 1e8;
  info->estimatedCost = places[0] >= 0 ? kOfSlice : kOfAll;
  info->estimatedRows = places[0] >= 0 ? static_cast<sqlite3_int64>(kOfSlice) : static_cast<sqlite3_int64>(kOfAll);
  return SQLITE_OK;
}

}  // namespace

void add_arguments_module(sqlite3* database, TablesBySchema& schemas) {
  static const sqlite3_module module =
      module_of<ArgumentsTable, ArgumentsCursor>(connect_arguments, best_index_of_arguments);
  sqlite3_create_module(database, kArgumentsModule, &module, &schemas);
}

}  // namespace cgpu
