#include "analysis/analysis.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "analysis/events/choose_rows.h"
#include "analysis/tables.h"
#include "base/error.h"
#include "base/nearest_names.h"

namespace cgpu {

namespace {

std::deque<Analysis>& analyses() {
#define CGPU_LIST_TABLE(name) name##_analysis(),
  static std::deque<Analysis> analyses = {CGPU_TABLES(CGPU_LIST_TABLE)};
#undef CGPU_LIST_TABLE
  return analyses;
}

/// With the names that other tools give the tables.
std::vector<std::string> names_of_tables() {
  std::vector<std::string> names;
  for (const Analysis& analysis : all_analyses()) {
    names.push_back(analysis.name);
    names.insert(names.end(), analysis.aliases.begin(), analysis.aliases.end());
  }
  return names;
}

}  // namespace

const char* text_of(Subject subject) {
  switch (subject) {
    case Subject::profile:
      return "profile";
    case Subject::timeline:
      return "timeline";
    case Subject::call_tree:
      return "call tree";
    case Subject::launches:
      return "launches";
    case Subject::op_graph:
      return "op graph";
    case Subject::ranks:
      break;
  }
  return "ranks";
}

const std::deque<Analysis>& all_analyses() {
  return analyses();
}

void add_analysis(Analysis analysis) {
  analyses().push_back(std::move(analysis));
}

const Analysis* analysis_named(std::string_view name) {
  for (const Analysis& analysis : all_analyses()) {
    const std::vector<std::string>& aliases = analysis.aliases;
    if (analysis.name == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end()) return &analysis;
  }
  return nullptr;
}

const Analysis& find_analysis(const std::string& name) {
  if (const Analysis* analysis = analysis_named(name)) return *analysis;
  throw Error("no table is called '" + name + "'; " + did_you_mean(name, names_of_tables()) +
              " `cgpu table --list` names them all");
}

Table make_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions& options) {
  check_options(analysis.name, analysis.options, options);
  if (analysis.whole != nullptr) return analysis.whole(analysis, facts, options);
  if (analysis.events != nullptr) return whole_event_table(analysis, *analysis.events(analysis, facts, options));
  const std::unique_ptr<Partial> partial = analysis.fold(analysis, options);
  RunIndex index{facts, {}};
  for (uint32_t run = 0; run < facts.session().runs.size(); ++run) {
    partial->update({facts, run, run});
    index.numbers.push_back(run);
  }
  return partial->finalize(index);
}

Table make_table(const std::string& name, const Session& session, const TableOptions& options) {
  return make_table(find_analysis(name), SessionFacts(session), options);
}

}  // namespace cgpu
