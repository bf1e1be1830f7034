// Tables `findings` and `unreported_rules`: docs/diagnosis.md. O(edges of the graph of dependencies) for each finding,
// besides the graph.
#include "analysis/common/columns.h"
#include "analysis/findings/rank_findings.h"
#include "analysis/findings/rule_context.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

const TableOption kRulesOption{
    .name = "rules",
    .kind = TableOption::Kind::file,
    .fallback = "",
    .about = "file of thresholds and rules of your own (docs/diagnosis.md)",
};

/// `command`: what goes before that of a finding.
void append(const Diagnosis& diagnosis, const std::string& command, Table& table) {
  int64_t id = 0;
  for (const Finding& finding : diagnosis.findings) {
    table.append({++id,
                  finding.rule,
                  cell(text_of(finding.severity)),
                  finding.title,
                  finding.evidence,
                  finding.time ? Cell(finding.time->begin) : Cell(),
                  finding.time ? Cell(finding.time->end) : Cell(),
                  cell(finding.recoverable),
                  cell(finding.recoverable_low),
                  cell(finding.recoverable_high),
                  finding.recoverable ? percent_of(*finding.recoverable, diagnosis.measured) : Cell(),
                  cell(finding.together),
                  finding.recoverable ? Cell(diagnosis.measured) : Cell(),
                  finding.recoverable ? cell(diagnosis.steps) : Cell(),
                  cell(text_of(finding.confidence)),
                  finding.suggestion,
                  cell(finding.rank),
                  cell(finding.device),
                  command + finding.command,
                  finding.next_bound.empty() ? Cell() : Cell(finding.next_bound)});
  }
}

Table findings_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions& options) {
  Table table = analysis.empty_table();
  append(diagnose(facts, read_rules(options.text(kRulesOption))), "cgpu table INPUT ", table);
  return table;
}

Table findings_without_timelines(const Analysis& analysis, const SessionFacts& facts,
                                 const std::vector<const Table*>& tables) {
  Table table(analysis.name, kRankFindingsAbout, analysis.columns);
  append(diagnose_ranks(facts, *tables[0], *tables[1]), "cgpu diagnose ", table);
  return table;
}

Table unreported_rules_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions& options) {
  Table table = analysis.empty_table();
  for (const UnreportedRule& one : unreported_rules(facts, read_rules(options.text(kRulesOption)))) {
    table.append({one.rule, one.reason});
  }
  return table;
}

}  // namespace

Analysis unreported_rules_analysis() {
  return {.name = "unreported_rules",
          .about =
              "the rules that have no finding, and why: what the profile lacks for them, or how far what they look "
              "at is from being worth one",
          .subject = Subject::profile,
          .columns = {key_column("rule", "docs/diagnosis.md lists the rules"),
                      text_column("reason", "why it reported nothing")},
          .options = {kRulesOption},
          .made_of = MadeOf::all_timelines,
          .whole = unreported_rules_table};
}

Analysis findings_analysis() {
  return {
      .name = "findings",
      .about =
          "what slows the run down, its potential saving, and what to do: most recoverable time first; what there "
          "is nothing to gain from last",
      .subject = Subject::profile,
      .columns = {number_column("id", "number of the finding"),
                  key_column("rule", "docs/diagnosis.md lists the rules"),
                  key_column("severity", "critical, warning, or info: nothing to gain, or nothing to be sure of"),
                  text_column("title", "the cause, with its number"),
                  text_column("evidence", "the figures behind it"),
                  moment_column("start_ns", "where it shows most, from the start of the profile"),
                  moment_column("end_ns", "until there"),
                  time_column("recoverable_ns",
                              "potential saving of wall time over all steps besides the findings before it, by replay"),
                  time_column("recoverable_low_ns", "the least of it"),
                  time_column("recoverable_high_ns", "the most of it: by itself"),
                  real_column("recoverable_pct", "%", "share of the time of all steps without warm-up"),
                  time_column("together_ns",
                              "potential saving of wall time over all steps of it and the findings counted before it "
                              "together; the largest is that of all"),
                  time_column("measured_ns", "wall time of all steps without warm-up: the whole of the shares"),
                  count_column("steps", "how many these are; absent where the run has none"),
                  text_column("confidence", "high, medium or low"),
                  text_column("suggestion", "what to do"),
                  number_column("rank", "that is at fault; absent where none is"),
                  number_column("device", "that is at fault; absent where none is"),
                  text_column("command", "shows more"),
                  text_column("next_bound",
                              "what bounds the run once this is gone, by replay; absent where that is not "
                              "known, or nothing does so noticeably")},
      .options = {kRulesOption},
      .made_of = MadeOf::all_timelines,
      .without_timelines = WithoutTimelines{{"rank_outliers", "gpu_time"}, findings_without_timelines},
      .whole = findings_table};
}

}  // namespace cgpu
