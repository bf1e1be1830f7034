#include "gate/history_tables.h"

#include "analysis/common/columns.h"

namespace cgpu {

Table history_table() {
  return Table(
      "history", "runs in the order in which they were recorded",
      {number_column("run", "number in this order"),
       text_column("recorded", "when it was recorded (UTC); absent where the profile does not say"),
       real_column("step_ns", "ns",
                   "median of the steady iterations; the whole run without any; absent where a run is "
                   "followed by the metric of a call tree"),
       real_column("step_p25_ns", "ns", "lower quartile of the steady iterations; absent without any"),
       real_column("step_p75_ns", "ns", "upper quartile of the steady iterations"),
       text_column("metric", "main metric of the call tree, of a run that has no iterations and no work of a device"),
       real_column("value", "", "of the whole program, in its unit"), text_column("unit", "of the metric"),
       real_column("change_pct", "%", "of step_ns or value, from the run before in its series"),
       text_column("level", "the change of level of step_ns or value that begins here, if one does"),
       real_column("level_ns", "ns", "median of step_ns over the runs of its level"),
       real_column("level_value", "", "median of value over the runs of its level"),
       bytes_column("peak_bytes", "peak of memory; absent where nothing says"),
       count_column("iterations", "steady ones"), key_column("input", "as it was given"),
       number_column("series", "number of the series of runs that did the same on the same devices"),
       text_column("devices", "devices and ranks")});
}

Table history_changes_table() {
  return Table(
      "history_changes", "where a quantity changed its level",
      {key_column("quantity", "step_time, busy, exposed_communication, peak_allocated, or the metric of a call tree"),
       number_column("run", "the first run of the new level"), real_column("change_pct", "%", "of the level before"),
       real_column("before_ns", "ns", "median of the level before, of a time"),
       real_column("after_ns", "ns", "median of the new level, of a time"),
       real_column("before_bytes", "bytes", "median of the level before, of a size"),
       real_column("after_bytes", "bytes", "median of the new level, of a size"),
       real_column("before", "", "median of the level before, of a metric, in its unit"),
       real_column("after", "", "median of the new level, of a metric"),
       real_column("chance", "", "that runs without a change would look like that, by permutation"),
       key_column("input", "the run, as it was given"),
       number_column("change_point", "number of the row of history_change_points")});
}

Table history_change_points_table() {
  return Table(
      "history_change_points", "moments at which quantities changed their level",
      {number_column("change_point", "number, in the order of the runs"),
       number_column("run", "the first run of the new level"),
       text_column("recorded", "when it was recorded (UTC); absent where the profile does not say"),
       key_column("input", "the run, as it was given"), number_column("before_run", "the last run of the level before"),
       key_column("before_input", "that run, as it was given"),
       text_column("changed", "quantities that changed, the main one first"),
       text_column("moved", "what moved most with them; absent where nothing surely did"),
       text_column("verdict", "of a check of the new level against the level before, at a tolerance of 1 %"),
       text_column("why", "of the verdict, in words")});
}

Table history_parts_table() {
  return Table(
      "history_parts", "parts of the runs that moved at a change point, largest change first",
      {number_column("change_point", "number of the row of history_change_points"),
       number_column("run", "the first run of the new level"),
       key_column("kind",
                  "time: of a device in an iteration; op, class, kernel, layer, module: device time an "
                  "iteration and rank; function: of a call tree"),
       key_column("name", "name"), real_column("before_ns", "ns", "middle of the runs of the level before"),
       real_column("after_ns", "ns", "middle of the runs of the new level"),
       real_column("change_ns", "ns", "after less before"),
       real_column("before", "", "the same of the metric of a call tree"), real_column("after", "", "of the new level"),
       real_column("change", "", "after less before"), text_column("unit", "of the metric"),
       real_column("change_pct", "%", "of the level before; absent for what is new"),
       text_column("verdict", "slower, faster, new, gone")});
}

Table history_latest_table() {
  return Table(
      "history_latest", "the last run, compared with the runs of its level before it",
      {number_column("run", "the last run"),
       text_column("recorded", "when it was recorded (UTC); absent where the profile does not say"),
       key_column("input", "as it was given"),
       count_column("baseline_runs", "runs that it is compared with, the nearest"),
       text_column("verdict", "of the check, at its usual tolerance"), text_column("why", "of the verdict, in words")});
}

}  // namespace cgpu
