// Table `launch_rules`: what the kernel profiler's own rules say of each launch. O(1) a finding.
#include "analysis/common/columns.h"
#include "analysis/common/slices_by_name.h"
#include "analysis/measured_launches/launch_columns.h"
#include "analysis/tables.h"
#include "kernels/names.h"

namespace cgpu {

namespace {

Table launch_rules_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions& options) {
  const bool base_names = has_base_names(options);
  Table table = analysis.empty_table();
  for (const Run& run : facts.session().runs) {
    if (!run.launch_metrics) continue;
    for (const ProfiledLaunch& launch : run.launch_metrics->launches) {
      if (launch.rules.empty()) continue;
      std::string kernel = full_kernel_name(launch.kernel);
      if (base_names) kernel = base_kernel_name(kernel);
      for (const RuleResult& rule : launch.rules) {
        table.append({run.rank, launch.id, kernel, rule.section, rule.rule, rule.severity, cell(rule.speedup_pct),
                      rule.speedup_scope.empty() ? Cell() : cell(rule.speedup_scope), rule.message});
      }
    }
  }
  return table;
}

}  // namespace

Analysis launch_rules_analysis() {
  return {.name = "launch_rules",
          .about = "findings of the kernel profiler's own rules, in its words",
          .subject = Subject::launches,
          .columns = {rank_column(), launch_column(), key_column("kernel", "name of the device function"),
                      text_column("section", "what the rule looks at"), key_column("rule", "name of the rule"),
                      text_column("severity", "optimization, warning, error or information"),
                      real_column("speedup_pct", "%", "the profiler's estimate of what could be gained, of `scope`"),
                      text_column("scope",
                                  "kernel: its whole duration; unit: the part of the device that the rule looks at"),
                      text_column("message", "the finding")},
          .options = {kNamesOption},
          .applies = [](const ProfileCounts& counts) { return counts.rules > 0; },
          .whole = launch_rules_table};
}

}  // namespace cgpu
