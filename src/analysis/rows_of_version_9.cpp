#include "analysis/rows_of_version_9.h"

#include <algorithm>
#include <map>

namespace cgpu {

std::vector<std::string_view> columns_of_version_9(const std::string& table) {
  // Never changed: that version wrote these.
  static const std::map<std::string_view, std::string_view> columns = {
      {"ascend_overlap",
       "rank device computing_ns communication_ns not_overlapped_ns overlapped_ns free_ns profiler_steps "
       "profiler_computing_ns profiler_communication_ns profiler_not_overlapped_ns profiler_overlapped_ns "
       "profiler_free_ns"},
      {"counters", "rank device name unit samples min mean max time_mean first_ns last_ns owner"},
      {"experts",
       "rank layer expert passes tokens load imbalance products product_ns device_ns experts choices "
       "per_token weights shown_by"},
      {"exposed_collectives", "rank device name group count total_ns exposed_ns exposed_pct pct max_ns"},
      {"gpu_time",
       "rank device span_ns busy_ns compute_ns comm_ns memory_ns exposed_comm_ns exposed_memory_ns idle_ns "
       "busy_pct comm_overlap_pct memory_overlap_pct"},
      {"idle", "rank device cause count total_ns max_ns pct"},
      {"idle_hosts", "rank device cause culprit count total_ns max_ns pct"},
      {"idle_streams", "rank device stream category count total_ns pct"},
      {"layers", "rank layer part phase count device_ns pct step_ns found_by sequence"},
      {"loops",
       "rank device step loop what phase passes layers loop_ns pct first_ns median_ns slowest_ns slowest "
       "device_ns idle_ns ops_per_pass before_ns before after_ns after around_ns start_ns"},
      {"memory", "rank device peak_allocated_bytes peak_reserved_bytes allocations"},
      {"memory_at_peak", "rank device time_ns name allocations bytes largest_bytes pct"},
      {"memory_over_time",
       "rank device bucket start_ns duration_ns least_allocated_bytes peak_allocated_bytes "
       "peak_reserved_bytes growth_bytes"},
      {"memory_steps",
       "rank step device start_ns allocated_bytes peak_allocated_bytes peak_reserved_bytes growth_bytes "
       "allocations requested_bytes"},
      {"mfu",
       "rank device step start_ns duration_ns mfu_pct flops flops_per_s bytes bytes_per_s bandwidth_pct "
       "peak_known_pct flops_known_pct bytes_known_pct achievable_pct"},
      {"micro_batches",
       "rank device stream beside steps turns count busy_ns alone_ns hidden_ns hidden_pct any_ns together_ns "
       "together_pct"},
      {"overlap", "rank device stream class other_stream other_class overlap_ns busy_ns other_busy_ns pct"},
      {"processes",
       "rank process name threads span_ns thread_ns busy_threads running_ns device_wait_ns lock_wait_ns "
       "io_wait_ns sleep_ns other_wait_ns not_scheduled_ns call_ns os_call_ns op_ns python_ns annotation_ns "
       "unknown_ns"},
      {"queue", "rank device stream count mean std min p25 median p75 max waiting_ns full_ns"},
      {"steps",
       "rank step start_ns duration_ns kernel_ns memcpy_ns memset_ns communication_ns runtime_ns "
       "dataloader_ns cpu_ns other_ns mark complete"},
      {"stream_utilization",
       "rank device stream bucket start_ns duration_ns busy_ns compute_ns comm_ns memory_ns busy_pct"},
      {"streams", "rank device stream count busy_ns first_ns last_ns"},
      {"thread_utilization", "rank process thread name bucket start_ns duration_ns busy_ns wait_ns busy_pct"},
      {"threads",
       "rank process thread name span_ns utilization_pct evidence running_ns device_wait_ns lock_wait_ns "
       "io_wait_ns sleep_ns other_wait_ns not_scheduled_ns call_ns os_call_ns op_ns python_ns annotation_ns "
       "unknown_ns on_processor_ns scheduled_ns samples utilization_low_pct utilization_high_pct "
       "unknown_because"},
      {"transfer_overlap",
       "rank device stream kind purpose said_by count bytes total_ns bandwidth busy_ns hidden_ns exposed_ns "
       "hidden_pct returned_bytes"},
      {"utilization",
       "rank device bucket start_ns duration_ns busy_ns compute_ns comm_ns memory_ns exposed_comm_ns "
       "exposed_memory_ns idle_ns busy_pct"},
  };
  const auto found = columns.find(table);
  std::vector<std::string_view> names;
  if (found == columns.end()) return names;
  for (std::string_view left = found->second; !left.empty();) {
    const size_t end = std::min(left.find(' '), left.size());
    names.push_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return names;
}

}  // namespace cgpu
