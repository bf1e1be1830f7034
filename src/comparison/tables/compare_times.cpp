// Table `compare_times`: which time of B is which of A, by the work that both have; and where a moment of A is in B.
#include <optional>
#include <string>

#include "comparison/alignment/time_map.h"
#include "comparison/tables/compared_columns.h"
#include "comparison/tables/comparison_table.h"
#include "session/selection/selection.h"

namespace cgpu {

namespace {

/// The number of the iteration that a time from the start of a side lies in; absent outside of those compared.
Cell iteration_at_time(const Comparison& comparison, Side side, size_t run, int64_t time) {
  const std::vector<Iteration>& iterations = comparison.time(side, run).iterations;
  const int64_t on_clock = time + comparison.facts(side).zeros()[run];
  const auto found = iteration_at(iterations, &Iteration::time, on_clock);
  return found ? cell(iterations[*found].number) : Cell();
}

void append_times(const Comparison& comparison, const TableOptions& options, Table& table) {
  std::vector<int64_t> moments;
  for (const std::string& moment : options.names(kAtOption)) moments.push_back(parse_time(moment, "--at"));
  for (const TimesOfRanks& times : times_of_ranks(comparison)) {
    const auto rank = [&](Side side) { return comparison.facts(side).session().runs[times.runs[side]].rank; };
    const auto append = [&](int64_t a) {
      const MappedTime b = times.map.in_b(a);
      table.append({rank(Side::a), rank(Side::b), a, b.time, cell(b.low), cell(b.high), b.residual,
                    iteration_at_time(comparison, Side::a, times.runs.a, a),
                    iteration_at_time(comparison, Side::b, times.runs.b, b.time)});
    };
    if (times.map.points().empty()) continue;
    for (const int64_t moment : moments) append(moment);
    if (!moments.empty()) continue;
    for (const TimePoint& point : times.map.points()) append(point.a);
  }
}

}  // namespace

ComparisonTable compare_times_table() {
  return {.name = "compare_times",
          .about = "which time of B is which of A: where work that both have begins; between these times linearly",
          .columns = {number_column("rank_a", "of A"), number_column("rank_b", "of B"),
                      moment_column("a_ns", "from the start of A"), moment_column("b_ns", "from the start of B"),
                      moment_column("low_ns",
                                    "in B not before this, as the order of what both have goes; absent before the "
                                    "first of it"),
                      moment_column("high_ns", "in B not after this; absent behind the last of it"),
                      time_column("residual_ns", "by which work around here misses the map at most"),
                      number_column("iteration_a", "of those compared, as marked; absent outside of all"),
                      number_column("iteration_b", "likewise")},
          .options = {kAtOption},
          .append_rows = append_times,
          .on_request = true};
}

}  // namespace cgpu
