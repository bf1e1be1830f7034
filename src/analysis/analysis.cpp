#include "analysis/analysis.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "analysis/tables.h"
#include "base/error.h"

namespace cgpu {

namespace {

/// An analysis names and describes itself: its table of an empty session has the name, the meaning and the columns.
Analysis entry(Table (*run)(const Session&, const AnalysisOptions&), std::vector<std::string> aliases = {}) {
  Table empty = run({}, {});
  return {std::move(empty.name), std::move(empty.about), run, std::move(aliases)};
}

/// Levenshtein's distance: insertions, deletions and replacements of one character, by rows. O(|a| |b|).
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

std::string nearest_names(const std::string& name) {
  std::vector<std::pair<size_t, std::string>> names;
  for (const Analysis& analysis : all_analyses()) {
    names.emplace_back(edit_distance(name, analysis.name), analysis.name);
    for (const std::string& alias : analysis.aliases) names.emplace_back(edit_distance(name, alias), alias);
  }
  constexpr std::ptrdiff_t kShown = 3;
  std::partial_sort(names.begin(), names.begin() + kShown, names.end());
  return names[0].second + ", " + names[1].second + " or " + names[2].second;
}

}  // namespace

const std::vector<Analysis>& all_analyses() {
  static const std::vector<Analysis> analyses = {
      entry(info_table),
      entry(notes_table),
      entry(devices_table),
      entry(gpu_time_table, {"gpu_time_util"}),
      entry(ascend_overlap_table),
      entry(streams_table),
      entry(kernels_table, {"cuda_gpu_kern_sum", "gpukernsum"}),
      entry(kernel_classes_table),
      entry(ops_table),
      entry(api_table, {"cuda_api_sum", "cudaapisum"}),
      entry(os_calls_table, {"osrt_sum", "osrtsum", "syscall_sum"}),
      entry(transfers_table, {"cuda_gpu_mem_time_sum", "gpumemtimesum", "cuda_gpu_mem_size_sum", "gpumemsizesum",
                              "um_sum", "umsum", "um_total_sum", "umtotalsum"}),
      entry(launches_table, {"cuda_kern_exec_sum", "kernexecsum"}),
      entry(queue_table),
      entry(idle_table, {"gpu_gaps"}),
      entry(idle_streams_table),
      entry(steps_table),
      entry(ranges_table, {"nvtx_sum", "nvtxsum", "nvtx_pushpop_sum", "nvtxppsum", "nvtx_startend_sum", "nvtxsesum",
                           "nvtx_gpu_proj_sum"}),
      entry(collectives_table),
      entry(stragglers_table),
      entry(clocks_table),
      entry(memory_table),
      entry(launch_metrics_table),
      entry(launch_rules_table),
      entry(launch_values_table),
      entry(metrics_table),
      entry(profiles_table),
      entry(call_tree_table),
      entry(hot_path_table),
      entry(functions_table),
      entry(callers_table),
      entry(imbalance_table),
      entry(stalls_table),
      entry(et_ops_table),
      entry(et_shapes_table),
      entry(device_ops_table, {"cuda_gpu_sum", "gpusum"}),
      entry(activities_table, {"cuda_api_gpu_sum", "apigpusum"}),
      entry(kernel_grids_table, {"cuda_gpu_kern_gb_sum", "gpukerngbsum"}),
      entry(api_trace_table, {"cuda_api_trace", "cudaapitrace"}),
      entry(device_trace_table, {"cuda_gpu_trace", "gputrace"}),
      entry(launch_trace_table, {"cuda_kern_exec_trace", "kernexectrace"}),
      entry(range_trace_table, {"nvtx_pushpop_trace", "nvtxpptrace", "nvtx_gpu_proj_trace", "nvtxgpuproj"}),
      entry(range_kernels_table, {"nvtx_kern_sum", "nvtxkernsum"}),
      entry(slices_table),
  };
  return analyses;
}

const Analysis& find_analysis(const std::string& name) {
  for (const Analysis& analysis : all_analyses()) {
    const std::vector<std::string>& aliases = analysis.aliases;
    if (analysis.name == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end()) return analysis;
  }
  throw Error("no table is called '" + name + "'; did you mean " + nearest_names(name) +
              "? `cgpu table --list` names them all");
}

}  // namespace cgpu
