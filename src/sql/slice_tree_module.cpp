#include "sql/slice_tree_module.h"

#include <sqlite3.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/common/slice_forest.h"
#include "analysis/events/slice_numbers.h"
#include "base/error.h"
#include "sql/virtual_table.h"

namespace cgpu {

namespace slice_tree {

enum TreeColumn : int { kSlice, kLevels, kName, kStart, kDuration, kOf };

struct TreeTable : sqlite3_vtab {
  TreeTable(const SessionFacts& of, bool goes_inwards)
      : sqlite3_vtab{}, facts(of), numbers(of.session()), inwards(goes_inwards) {
    forests.resize(of.session().runs.size());
  }

  /// All slices of a run as they nest.
  const SliceForest& forest_of(size_t run) {
    if (!forests[run]) forests[run].emplace(facts.run(run).timeline.slices.parent, [](SliceIndex) { return true; });
    return *forests[run];
  }

  const SessionFacts& facts;
  const SliceNumbers numbers;
  const bool inwards;
  std::vector<std::optional<SliceForest>> forests;  // by run, once they are asked for
};

class TreeCursor : public sqlite3_vtab_cursor {
 public:
  explicit TreeCursor(TreeTable& table) : sqlite3_vtab_cursor{}, table_(table) {}

  void filter(int, const char*, std::span<sqlite3_value*> values) {
    rows_.clear();
    at_ = 0;
    if (sqlite3_value_numeric_type(values[0]) != SQLITE_INTEGER) return;  // NULL has none
    of_ = sqlite3_value_int64(values[0]);
    const std::optional<EventPlace> place = table_.numbers.place(of_);
    if (!place) return;
    run_ = place->run;
    if (table_.inwards) {
      append_inside(place->event);
    } else {
      append_around(place->event);
    }
  }

  bool at_end() const { return at_ == rows_.size(); }
  void next() { ++at_; }
  int64_t row_number() const { return static_cast<int64_t>(at_); }

  void give(sqlite3_context* context, int column) const {
    const auto [slice, levels] = rows_[at_];
    const Timeline& timeline = table_.facts.run(run_).timeline;
    const std::string_view name = timeline.name(slice);
    switch (column) {
      case kSlice:
        return sqlite3_result_int64(context, *table_.numbers.number(run_, slice));
      case kLevels:
        return sqlite3_result_int64(context, levels);
      case kName:
        return sqlite3_result_text64(context, name.data(), name.size(), SQLITE_STATIC, SQLITE_UTF8);
      case kStart:
        return sqlite3_result_int64(context, timeline.slices.start[slice] - table_.facts.zeros()[run_]);
      case kDuration:
        return sqlite3_result_int64(context, timeline.slices.duration[slice]);
      default:
        return sqlite3_result_int64(context, of_);
    }
  }

 private:
  struct Row {
    SliceIndex slice;
    int64_t levels;
  };

  void append_around(SliceIndex of) {
    const Slices& slices = table_.facts.run(run_).timeline.slices;
    for (SliceIndex at = slices.parent[of]; at != kNone; at = slices.parent[at]) {
      rows_.push_back({at, static_cast<int64_t>(rows_.size()) + 1});
    }
  }

  void append_inside(SliceIndex of) {
    int64_t levels = 0;
    table_.forest_of(run_).walk_inside(
        of,
        [&](SliceIndex slice) {
          rows_.push_back({slice, ++levels});
        },
        [&](SliceIndex) { --levels; });
  }

  TreeTable& table_;
  size_t run_ = 0;
  int64_t of_ = 0;
  std::vector<Row> rows_;
  size_t at_ = 0;
};

int connect(sqlite3* database, void* schemas, int, const char* const* words, sqlite3_vtab** made, char** message) {
  return without_exceptions(message, [&] {
    const std::string name = words[2];
    const SessionFacts* facts = static_cast<TablesBySchema*>(schemas)->at(words[1])->facts();
    if (facts == nullptr) throw Error("a summary has no slices: give the profile that it was made of");
    const std::string statement = "CREATE TABLE " + name + " (\n  " + kSliceTreeColumns + ")";
    if (sqlite3_declare_vtab(database, statement.c_str()) != SQLITE_OK) throw Error(sqlite3_errmsg(database));
    *made = new TreeTable(*facts, name == kDescendantsModule);
    return SQLITE_OK;
  });
}

int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
  return without_exceptions(&table->zErrMsg, [&] {
    bool is_asked = false;
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& constraint = info->aConstraint[i];
      if (constraint.iColumn != kOf || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
      is_asked = true;
      if (constraint.usable == 0) continue;
      info->aConstraintUsage[i].argvIndex = 1;
      info->aConstraintUsage[i].omit = 1;
      constexpr double kFew = 20;
      info->estimatedCost = kFew;
      info->estimatedRows = static_cast<sqlite3_int64>(kFew);
      return SQLITE_OK;
    }
    if (is_asked) return SQLITE_CONSTRAINT;  // in this order of the join the slice is not known yet
    throw Error("ancestors and descendants are of a slice: descendants(slice)");
  });
}

}  // namespace slice_tree

void add_slice_tree_modules(sqlite3* database, TablesBySchema& schemas) {
  static const sqlite3_module module =
      module_of<slice_tree::TreeTable, slice_tree::TreeCursor>(slice_tree::connect, slice_tree::best_index);
  for (const char* name : {kAncestorsModule, kDescendantsModule}) {
    sqlite3_create_module(database, name, &module, &schemas);
  }
}

}  // namespace cgpu
