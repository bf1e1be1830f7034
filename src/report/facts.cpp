#include "report/facts.h"

#include <algorithm>
#include <map>

#include "analysis/common/statistics.h"
#include "report/cells.h"

namespace cgpu {

StepFacts step_facts(const Table& steps) {
  StepFacts facts;
  for (const RowView row : steps.rows()) {
    if (integer_of(steps, row, "complete") != 0) facts.rows.push_back(row);
  }
  facts.incomplete = facts.rows.empty() ? 0 : steps.row_count() - facts.rows.size();
  if (facts.rows.empty()) {
    for (const RowView row : steps.rows()) facts.rows.push_back(row);
  }

  const auto duration = [&](RowView row) { return integer_of(steps, row, "duration_ns"); };
  const auto shorter = [&](RowView a, RowView b) { return duration(a) < duration(b); };
  facts.shortest = *std::min_element(facts.rows.begin(), facts.rows.end(), shorter);
  facts.longest = *std::max_element(facts.rows.begin(), facts.rows.end(), shorter);
  std::vector<int64_t> durations;
  for (const RowView row : facts.rows) durations.push_back(duration(row));
  facts.median = median(durations);
  for (const int64_t value : durations) facts.total += value;
  for (const StepPart& part : kStepParts) {
    NamedTime& sum = facts.parts.emplace_back(NamedTime{std::string(part.name), 0});
    for (const RowView row : facts.rows) sum.time += integer_of(steps, row, part.column);
  }
  return facts;
}

DeviceTime device_time(const Table& gpu_time) {
  return {sum_of(gpu_time, "span_ns"),         sum_of(gpu_time, "busy_ns"),           sum_of(gpu_time, "compute_ns"),
          sum_of(gpu_time, "exposed_comm_ns"), sum_of(gpu_time, "exposed_memory_ns"), sum_of(gpu_time, "idle_ns")};
}

std::vector<NamedTime> idle_causes(const Table& idle) {
  std::map<std::string, int64_t> sums;
  for (const RowView row : idle.rows()) sums[text_of(idle, row, "cause")] += integer_of(idle, row, "total_ns");
  std::vector<NamedTime> causes;
  for (const auto& [cause, time] : sums) causes.push_back({cause, time});
  std::ranges::stable_sort(causes, [](const NamedTime& a, const NamedTime& b) { return a.time > b.time; });
  return causes;
}

std::string_view meaning_of_cause(std::string_view cause) {
  static const std::map<std::string_view, std::string_view> meanings = {
      {"synchronization", "the host was waiting for the device before it launched more"},
      {"blocking_copy", "the host was in a copy that blocks it"},
      {"data_loading", "the host was waiting for input data"},
      {"allocation", "the host was allocating or freeing memory"},
      {"compilation", "the host was compiling"},
      {"module_load", "the host was loading device code"},
      {"garbage_collection", "Python was collecting garbage"},
      {"lock", "the host was waiting for a lock"},
      {"io", "the host was reading, writing, or waiting for something to read"},
      {"not_scheduled", "the host thread was probably not running: a call took over 100 times its usual time"},
      {"no_work", "there was no request to serve"},
      {"host_code", "the host was running other code before the next launch"},
      {"launch_overhead", "the launch itself was under way"},
      {"dependency", "the next op was queued and waited for work elsewhere"},
      {"other_rank", "another rank was late"},
      {"profiler_overhead", "the profiler was at work"},
      {"unknown", "the launch of the next op is not in the profile"},
  };
  const auto found = meanings.find(cause);
  return found == meanings.end() ? std::string_view() : found->second;
}

}  // namespace cgpu
