// Which files of a folder are the parts of an Ascend profile.
#pragma once

#include <string>
#include <vector>

namespace cgpu::ascend {

/// Paths; "" for what is not there.
struct Parts {
  std::string database;  // ascend_*_profiler_*.db, msprof_*.db
  std::string analysis;  // analysis.db
  std::string trace;     // trace_view.json, msprof_*.json
  std::string kernels;   // kernel_details.csv, op_summary_*.csv
  std::string step_trace;
  std::string communication;
  std::string memory_record;
  std::string operator_memory;
  std::string info;                 // profiler_info_*.json
  std::string metadata;             // profiler_metadata.json
  std::vector<std::string> unread;  // names of other tables

  bool has_events() const { return !database.empty() || !trace.empty() || !kernels.empty(); }
};

/// Looks into the folder, the output folders inside it, and for an output folder at the facts above it.
Parts find_parts(const std::string& folder);

/// Whether the folder is a profile, also one that the profiler has not analysed yet.
bool is_profile_folder(const std::string& folder);

}  // namespace cgpu::ascend
