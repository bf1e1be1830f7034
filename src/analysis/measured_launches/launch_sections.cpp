// Table `launch_sections`: what a kernel profiler shows of each launch, section by section, as it shows it. O(1) a
// metric.
//
// A report of Nsight Compute describes its sections: the metrics of each with labels, those of its charts, and the
// order of all. Of other profiles the sections are those that the metrics name, with the names of the metrics as
// labels.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/measured_launches/launch_columns.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

/// Whether a metric is one whose value lists the names of others.
bool is_list(std::string_view metric) {
  return metric.starts_with("breakdown:") || metric.starts_with("group:");
}

class SectionRows {
 public:
  SectionRows(const Run& run, const ProfiledLaunch& launch, Table& table)
      : run_(run), names_(run.launch_metrics->names), launch_(launch), table_(table) {
    for (const MetricValue& metric : launch.metrics) value_of_[metric.name] = &metric;  // of several the last counts
  }

  void described() {
    std::vector<const LaunchSection*> ordered;
    for (const LaunchSection& section : launch_.sections) ordered.push_back(&section);
    std::ranges::stable_sort(ordered, {}, &LaunchSection::order);
    for (const LaunchSection* section : ordered) {
      section_ = section;
      if (section->metrics.empty()) append(0, 0, 0);
      for (const SectionMetric& shown : section->metrics) {
        if (is_list(names_[shown.metric])) {
          append_listed(shown);
        } else {
          append(shown.chart, shown.label == 0 ? shown.metric : shown.label, shown.metric);
        }
      }
    }
  }
  void named_by_metrics() {
    LaunchSection section;
    section_ = &section;
    std::unordered_set<StringId> seen;
    for (const MetricValue& first : launch_.metrics) {
      if (first.section == 0 || !seen.insert(first.section).second) continue;
      section.title = first.section;
      for (const MetricValue& metric : launch_.metrics) {
        if (metric.section == first.section && value_of_[metric.name] == &metric) append(0, metric.name, metric.name);
      }
    }
  }

 private:
  Cell text(StringId id) const { return text_cell(names_, id); }

  void append(StringId chart, StringId label, StringId metric) {
    const auto found = value_of_.find(metric);
    const MetricValue* value = metric == 0 || found == value_of_.end() ? nullptr : found->second;
    table_.append({run_.rank, launch_.id, text(section_->title), text(section_->name), text(chart), text(label),
                   value != nullptr ? cell(value->number) : Cell(), value != nullptr ? text(value->unit) : Cell(),
                   value != nullptr ? text(value->text) : Cell(), text(metric), text(section_->about)});
  }
  void append_listed(const SectionMetric& shown) {
    const auto found = value_of_.find(shown.metric);
    if (found == value_of_.end()) return;
    std::string_view rest = names_[found->second->text];
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(','), rest.size());
      const StringId metric = names_.find(rest.substr(0, end));
      if (metric != StringPool::absent) append(shown.chart, metric, metric);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  const Run& run_;
  const StringPool& names_;
  const ProfiledLaunch& launch_;
  Table& table_;
  std::unordered_map<StringId, const MetricValue*> value_of_;
  const LaunchSection* section_ = nullptr;
};

Table launch_sections_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions&) {
  Table table = analysis.empty_table();
  for (const Run& run : facts.session().runs) {
    if (!run.launch_metrics) continue;
    for (const ProfiledLaunch& launch : run.launch_metrics->launches) {
      SectionRows rows(run, launch, table);
      if (launch.sections.empty()) {
        rows.named_by_metrics();
      } else {
        rows.described();
      }
    }
  }
  return table;
}

}  // namespace

Analysis launch_sections_analysis() {
  return {
      .name = "launch_sections",
      .about = "what the kernel profiler shows of each launch, section by section, in its order",
      .subject = Subject::launches,
      .columns = {rank_column(), launch_column(), key_column("title", "of the section"),
                  text_column("section", "its identifier, which launch_rules names; absent where there is none"),
                  text_column("chart", "the chart of the section that shows the metric; absent at its head"),
                  key_column("label", "what the section calls the metric; absent in a section without metrics"),
                  main_column(real_column("value", "", "in `unit`; absent where it was not measured, or is a text")),
                  text_column("unit", "absent where there is none, or none that is known"),
                  text_column("text", "value that is no number"), text_column("metric", "name of the metric"),
                  detail_column(text_column("about", "what the section is for, in the profiler's words"))},
      .applies = [](const ProfileCounts& counts) { return counts.measured_sections > 0; },
      .whole = launch_sections_table};
}

}  // namespace cgpu
