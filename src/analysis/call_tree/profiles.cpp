// Table `profiles`: the threads and streams that a call tree is of, with the whole cost of each. O(profiles) a metric
// where the file keeps the values of a node together.
#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/call_tree/call_tree_metrics.h"
#include "analysis/common/columns.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

Table profiles_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions& options) {
  Table table = analysis.empty_table();
  const std::vector<ShownMetric> metrics = shown_metrics(stored_trees(facts.session()), options);
  for (const ShownMetric& metric : metrics) {
    table.columns.push_back(real_column(metric.name, metric.unit, metric.about.empty() ? metric.name : metric.about));
  }
  for (const Run& run : facts.session().runs) {
    if (!run.call_tree) continue;
    const CallTree& tree = *run.call_tree;
    std::vector<Row> rows;
    for (size_t i = 0; i < tree.profiles.size(); ++i) {
      const CallProfile& profile = tree.profiles[i];
      rows.push_back({profile.rank.value_or(run.rank), static_cast<int64_t>(i), profile.name,
                      profile.device ? "stream" : "thread", cell(profile.thread)});
    }
    for (const ShownMetric& metric : metrics) {
      const auto index = metric.in(tree);
      const std::vector<double> values =
          index ? values_by_profile(tree, 0, *index) : std::vector<double>(tree.profiles.size(), kNoValue);
      for (size_t i = 0; i < tree.profiles.size(); ++i) rows[i].emplace_back(values[i]);
    }
    for (const Row& row : rows) table.append(row);
  }
  const auto place = [&](uint32_t row) {
    return std::tuple(table.cell(row, 0), table.values(3).text(row) == "stream", table.cell(row, 4));
  };
  table.sort([&](uint32_t a, uint32_t b) { return place(a) < place(b); });
  return table;
}

}  // namespace

Analysis profiles_analysis() {
  return {.name = "profiles",
          .about = "the threads and streams that the call tree is of, with the cost of each",
          .subject = Subject::call_tree,
          .columns = {rank_column(), number_column("id", "number of the profile, as --profile takes it"),
                      key_column("name", "what it is called; --profile takes it too"),
                      text_column("kind", "thread or stream"),
                      number_column("thread", "number of the thread in its process, absent where unknown")},
          .options = {kMetricOption},
          .applies = [](const ProfileCounts& counts) { return counts.profiles > 0; },
          .needs = "call tree with values of single threads",
          .whole = profiles_table};
}

}  // namespace cgpu
