// Table `clocks`: how the clocks of the ranks differ, as links/clocks.h has found and corrected it.
#include "analysis/common/columns.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

Table clocks_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions&) {
  Table table = analysis.empty_table();
  for (const Run& run : facts.session().runs) {
    table.append({run.rank, run.host.empty() ? Cell() : Cell(run.host), cell(run.clock_is_unix ? "unix" : "relative"),
                  cell(text_of(run.clock.method)), run.clock.offset, cell(run.clock.residual), run.clock.pairs,
                  run.clock.drift ? Cell(1e6 * run.clock.drift->rate) : Cell(), cell(run.clock.drift_residual)});
  }
  return table;
}

}  // namespace

Analysis clocks_analysis() {
  return {
      .name = "clocks",
      .about = "whether the times of different ranks can be compared, and how exactly",
      .subject = Subject::ranks,
      .columns = {rank_column(), text_column("host", "machine it was recorded on"),
                  text_column("clock", "unix: counts from 1970; relative: from the profile's own zero"),
                  text_column("method",
                              "reference: the others are moved to this one; shared: the same clock; aligned: moved so "
                              "that collectives end together; unchecked: both count from 1970, nothing shows how well "
                              "they agree; unaligned: cannot be compared; alone: there is no other"),
                  time_column("offset_ns", "added to the clock of this rank"),
                  time_column("residual_ns",
                              "median distance of the ends of its collectives from those of the lowest rank that took "
                              "part, after that; absent where there are none"),
                  count_column("pairs", "ends that were compared"),
                  real_column(
                      "drift_ppm", "ppm",
                      "how much faster its clock runs than the reference, in parts per million; taken out where "
                      "times of ranks are compared; absent where the ends do not show it"),
                  time_column("drift_residual_ns", "residual_ns with the drift taken out")},
      .applies = [](const ProfileCounts& counts) { return counts.runs > 0; },
      .made_of = MadeOf::records,
      .whole = clocks_table};
}

}  // namespace cgpu
