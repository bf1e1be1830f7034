// An analysis: a table, declared once, and how it is computed. The command line, JSON, the viewer, the report, the
// documents and shell completion read the declaration; no other place lists tables, their columns or their options.
//
// A table is computed in one of three ways. Most are folded over the runs (partial.h). Those that are about several
// ranks at once, or about what is small beside a timeline (call trees, measured launches, op graphs, notes), are made
// from the whole session. Those of one row an event come as a stream of batches (event_table.h).
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/partial.h"
#include "analysis/profile/profile_counts.h"
#include "analysis/session_facts.h"
#include "analysis/table_options.h"
#include "model/run.h"
#include "table/table.h"

namespace cgpu {

/// What a table is about.
enum class Subject : uint8_t { profile, timeline, call_tree, launches, op_graph, ranks };
const char* text_of(Subject subject);  // "profile", ...

/// Whether tables of a subject say the same of every window of time. Call trees that were recorded do; those that are
/// folded of timelines do not.
inline bool has_no_time(Subject subject, const Session& session) {
  if (subject == Subject::launches) return true;
  return subject == Subject::call_tree && std::any_of(session.runs.begin(), session.runs.end(),
                                                      [](const Run& run) { return run.call_tree.has_value(); });
}

/// How the rows of a table lead to the slices that they are made of.
struct RowSlices {
  using Visit = std::function<void(size_t run, SliceIndex slice, uint32_t row)>;
  std::vector<std::string> keys;  // the columns that tell the rows apart
  /// Calls visit(run, slice, row) for every slice of a row, with numbers from 0 for the rows; returns the cells of the
  /// key columns by row. O(slices), besides what it costs to match collectives.
  std::vector<Row> (*visit)(const SessionFacts& facts, const TableOptions& options, const Visit& visit) = nullptr;
};

class EventTable;

/// What a table needs of the runs. The engine decides by it which of them are open at once (session/table_engine.h).
enum class MadeOf : uint8_t {
  runs,            // each while it is open, and what stays of it afterwards (session/summaries/release.h)
  runs_and_waits,  // also which of its threads waited for other ranks (ranks/rank_waits.h), known when all were open
  all_timelines,   // the timelines of all runs at once
  records,         // what summaries keep of runs (session/summaries/run_record.h), of any that are put together
};

/// What a table says of ranks whose timelines have been released: made of other tables, without options, in the order
/// in which they are named.
struct WithoutTimelines {
  std::vector<std::string> tables;
  Table (*make)(const Analysis& analysis, const SessionFacts& facts, const std::vector<const Table*>& tables) = nullptr;
};

struct Analysis {
  std::string name;
  std::string about;                      // one line
  std::vector<std::string> aliases = {};  // names that other tools give the same table
  Subject subject = Subject::timeline;
  /// Those that the table has for every profile; some tables add a column a metric.
  std::vector<Column> columns = {};
  std::vector<TableOption> options = {};
  /// Whether the table of a profile has rows, as far as its counts tell; without it, it always has.
  bool (*applies)(const ProfileCounts& counts) = nullptr;
  /// Without which a profile gives it no rows: "framework ops". Said where it has none.
  std::string needs = {};
  RowSlices row_slices = {};
  MadeOf made_of = MadeOf::runs;
  /// For tables of the whole session: the options with which a summary keeps the table, besides without options.
  std::vector<TableOptions> also_kept = {};
  /// Of those that need all timelines: what can be said of several ranks whose timelines have been released.
  std::optional<WithoutTimelines> without_timelines = {};

  // How it is computed: one of these.
  std::unique_ptr<Partial> (*fold)(const Analysis& analysis, const TableOptions& options) = nullptr;
  Table (*whole)(const Analysis& analysis, const SessionFacts& facts, const TableOptions& options) = nullptr;
  std::unique_ptr<EventTable> (*events)(const Analysis& analysis, const SessionFacts& facts,
                                        const TableOptions& options) = nullptr;

  /// Without rows.
  Table empty_table() const { return Table(name, about, columns); }
};

/// Whether a folded table asks how ranks relate to each other: for their clocks, which moments need, or for their
/// collectives. Others use only the identity of the runs in a run index.
inline bool asks_of_other_ranks(const Analysis& analysis) {
  return analysis.subject == Subject::ranks ||
         std::any_of(analysis.columns.begin(), analysis.columns.end(),
                     [](const Column& column) { return column.role == ColumnRole::moment; });
}

/// All analyses in the order in which they are listed.
const std::deque<Analysis>& all_analyses();
/// Adds one to the end of the list, for programs that bring tables of their own. Not while others ask for the list.
void add_analysis(Analysis analysis);
/// The analysis called `name` (or with that alias); null where there is none.
const Analysis* analysis_named(std::string_view name);
/// The same. Throws Error with the nearest names.
const Analysis& find_analysis(const std::string& name);

/// The whole table of an opened session. Throws Error for options that the table does not have.
Table make_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions& options = {});
Table make_table(const std::string& name, const Session& session, const TableOptions& options = {});

}  // namespace cgpu
