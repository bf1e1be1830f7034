// The tables of many runs, without rows.
#include "analysis/common/columns.h"
#include "gate/runs/many_runs.h"

namespace cgpu {

Table compare_runs_table() {
  return {
      "compare_runs",
      "runs beside each other: times of a typical iteration, of the whole where a run has no iterations; or a metric "
      "of their call trees",
      {number_column("run", "number in the order in which they were given, from 1"),
       key_column("group", "its property that groups the runs"),
       count_column("iterations", "steady ones: without warm-up and without a last one that was cut short"),
       real_column("step_ns", "ns", "median of the steady iterations; the whole run without any"),
       real_column("total", "", "of runs compared by their call trees: the metric of the whole program"),
       text_column("unit", "of total"),
       real_column("speedup", "", "median step_ns, or total, of the first group over that of this run"),
       text_column("outlier", "slow or fast, of a total high or low, where it lies outside of the fences of its group"),
       real_column("busy_ns", "ns", "in which a device op ran, of a device"),
       real_column("exposed_communication_ns", "ns", "in which communication ran and no compute, of a device"),
       real_column("idle_ns", "ns", "in which nothing ran on a device"),
       bytes_column("peak_bytes", "peak of device memory; absent where nothing says"),
       key_column("input", "as it was given"), text_column("devices", "devices and ranks")}};
}

Table compare_groups_table() {
  return {
      "compare_groups",
      "groups of runs that share a property; the first is what the others are compared with",
      {key_column("group", "the property"), count_column("runs", "in this group"),
       real_column("step_ns", "ns", "median over its runs of their step_ns (compare_runs)"),
       real_column("low_ns", "ns", "lower bound of the mean of step_ns at 95 %, by Student's t; absent for one run"),
       real_column("high_ns", "ns", "upper bound"),
       real_column("total", "", "of runs compared by their call trees: median over its runs of their total"),
       real_column("total_low", "", "lower bound of the mean of total at 95 %, by Student's t; absent for one run"),
       real_column("total_high", "", "upper bound"), text_column("unit", "of total"),
       real_column("speedup", "", "step_ns, or total, of the first group over that of this one"),
       real_column("efficiency_pct", "%",
                   "speedup over the growth of the property, where that is a number: of strong scaling, where all "
                   "groups do the same work together (where the work grows alike, that is 100 speedup); absent for a "
                   "total that is a sum, which perfect scaling leaves as it is"),
       real_column("effect", "",
                   "Cliff's delta of step_ns, or total: share of pairs of runs in which this group's takes longer "
                   "than the first's, less that in which it takes less")}};
}

Table compare_statistics_table() {
  const auto figure = [](const char* name, const char* about) { return real_column(name, "", about); };
  return {"compare_statistics",
          "how runs of a group vary: quantities of an iteration, and device time of an iteration by op, kernel class, "
          "kernel, layer and module; of the whole where runs have no iterations; of call trees a metric of the whole",
          {key_column("kind",
                      "time, memory, op, kernel_class, kernel, layer or module (path of the innermost one); total: the "
                      "metric in the whole program; call: on a call path "
                      "and below; call_exclusive: on it and not below"),
           key_column("name", "of what; of a call the path of functions; of a total the metric"),
           key_column("group", "the property that groups the runs"),
           text_column("unit", "of all figures: ns, bytes, of calls that of the metric"),
           count_column("n", "runs that the figures are of"),
           count_column("missing", "of these, runs that do not have it, which count as 0"),
           figure("median", "over the runs"),
           figure("ratio", "median over that of the first group; absent in the first group"),
           figure("mean", "over the runs"),
           figure("low", "lower bound of the mean at 95 %, by Student's t; absent for one run"),
           figure("high", "upper bound"),
           figure("deviation", "standard deviation of a sample; absent for one run"),
           figure("min", "smallest"),
           figure("p25", "lower quartile"),
           figure("p75", "upper quartile"),
           figure("max", "largest"),
           figure("fence_low", "1.5 times the distance of the quartiles below the lower one"),
           figure("fence_high", "likewise above the upper one"),
           figure("effect", "Cliff's delta against the first group (compare_groups); absent in the first group"),
           text_column("outliers", "numbers of the runs outside of the fences, of five runs or more")}};
}

}  // namespace cgpu
