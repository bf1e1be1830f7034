// Rules about the profile itself: what it lacks, so that other findings may be wrong.
#include <fmt/format.h>

#include "analysis/findings/investigation.h"
#include "analysis/findings/thresholds.h"
#include "table/units.h"

namespace cgpu {

void find_profile_gaps(Investigation& run, std::vector<Finding>& findings) {
  int64_t ops = 0;
  for (const Run& one : run.session().runs) ops += static_cast<int64_t>(one.timeline.device_ops.size());
  const Table& notes = run.table("notes");
  for (const RowView row : notes.rows()) {
    const std::string code = std::get<std::string>(row[notes.column("code")]);
    const int64_t count = std::get<int64_t>(row[notes.column("count")]);
    const std::string text = std::get<std::string>(row[notes.column("text")]);
    const bool lost = code == "lost_events" || code == "truncated_input" || code == "damaged_input";
    const bool orphans =
        code == "orphan_device_op" && static_cast<double>(count) > thresholds::kOrphans * static_cast<double>(ops);
    const bool implausible = code == "implausible_duration" || code == "negative_duration";
    if (!lost && !orphans && !implausible) continue;
    findings.push_back(
        {.rule = implausible ? "implausible_profile" : "incomplete_profile",
         .title = lost      ? "The profile is not complete: " + text
                  : orphans ? fmt::format("{} of {} device ops have no launch in the profile", count, ops)
                            : "The profile has times that cannot be: " + text,
         .evidence = fmt::format("{} {}", code, count),
         .suggestion = orphans
                           ? "Begin the recording before the work is launched; until then why the device waited for "
                             "these ops is unknown"
                           : "Record again, with larger buffers of the profiler or for a shorter time",
         .command = "notes",
         .confidence = Confidence::high});
  }
}

}  // namespace cgpu
