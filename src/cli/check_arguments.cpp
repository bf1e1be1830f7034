#include "cli/check_arguments.h"

namespace cgpu {

void add_check_options(Verb verb, CheckArguments& arguments) {
  verb.add_option("--tolerance", arguments.tolerance, "Slowdown that does not matter (default: 5%)");
  verb.add_option("--floor", arguments.floor, "Change of a time that does not matter (default: 100us)");
  verb.add_option("--allow", arguments.allow,
                  "Compare although these differ: devices, shapes, iterations, clocks; several with commas")
      .comma_separated();
  verb.add_option("--metric", arguments.metric,
                  "Of call trees the metric to compare (default: the main one, where there are no iterations)");
  verb.add_option("--inconclusive", arguments.inconclusive,
                  "What it counts as if the runs cannot decide: report (exit 3), pass (0), fail (1)")
      .one_of({"report", "pass", "fail"});
}

}  // namespace cgpu
