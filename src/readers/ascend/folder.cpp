#include "readers/ascend/folder.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace cgpu::ascend {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOutput = "ASCEND_PROFILER_OUTPUT";
constexpr std::string_view kMsprofOutput = "mindstudio_profiler_output";

/// Entries of a folder in the order of their names; none where it cannot be listed.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code failed;
  for (fs::directory_iterator at(folder, fs::directory_options::skip_permission_denied, failed), end;
       !failed && at != end; at.increment(failed)) {
    entries.push_back(at->path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool is_folder(const fs::path& path) {
  std::error_code failed;
  return fs::is_directory(path, failed);
}

/// A part takes the first file that fits it.
void take(const fs::path& file, Parts& parts) {
  const std::string name = file.filename().string();
  const auto is = [&](std::string_view begin, std::string_view end) {
    return name.size() >= begin.size() + end.size() && name.starts_with(begin) && name.ends_with(end);
  };
  std::string* part = nullptr;
  if (is("ascend_pytorch_profiler", ".db") || is("ascend_mindspore_profiler", ".db") || is("msprof_", ".db")) {
    part = &parts.database;
  } else if (name == "analysis.db") {
    part = &parts.analysis;
  } else if (is("trace_view", ".json") || is("trace_view", ".json.gz") || is("msprof_", ".json")) {
    part = &parts.trace;
  } else if (is("kernel_details", ".csv") || is("op_summary_", ".csv")) {
    part = &parts.kernels;
  } else if (name == "step_trace_time.csv") {
    part = &parts.step_trace;
  } else if (name == "communication.json") {
    part = &parts.communication;
  } else if (is("memory_record", ".csv")) {
    part = &parts.memory_record;
  } else if (is("operator_memory", ".csv")) {
    part = &parts.operator_memory;
  } else if (is("profiler_info", ".json")) {
    part = &parts.info;
  } else if (name == "profiler_metadata.json") {
    part = &parts.metadata;
  }
  const bool may_be_part = is("", ".csv") || is("", ".json") || is("", ".json.gz") || is("", ".db");
  if (part != nullptr && part->empty()) {
    *part = file.string();
  } else if (may_be_part) {
    parts.unread.push_back(name);
  }
}

void take_files(const fs::path& folder, Parts& parts) {
  std::error_code failed;
  for (const fs::path& entry : entries_of(folder)) {
    if (fs::is_regular_file(entry, failed)) take(entry, parts);
  }
}

bool is_output(const fs::path& folder) {
  const fs::path name = folder.has_filename() ? folder.filename() : folder.parent_path().filename();
  return name == kOutput || name == kMsprofOutput;
}

/// A folder of raw records: what the profiler collects before it analyses.
bool is_raw(const fs::path& path) {
  return is_folder(path) && path.filename().string().starts_with("PROF_");
}

}  // namespace

Parts find_parts(const std::string& folder) {
  Parts parts;
  const fs::path path(folder);
  take_files(path, parts);
  for (const std::string_view output : {kOutput, kMsprofOutput}) {
    if (is_folder(path / output)) take_files(path / output, parts);
  }
  if (is_output(path)) {
    Parts above;
    take_files(fs::absolute(path / "..").lexically_normal(), above);
    if (parts.info.empty()) parts.info = above.info;
    if (parts.metadata.empty()) parts.metadata = above.metadata;
  }
  // What msprof made of the raw records, where the framework's own analysis is missing.
  if (!parts.has_events()) {
    for (const fs::path& entry : entries_of(path)) {
      if (!is_raw(entry)) continue;
      take_files(entry, parts);
      take_files(entry / kMsprofOutput, parts);
    }
  }
  return parts;
}

bool is_profile_folder(const std::string& folder) {
  const fs::path path(folder);
  if (is_folder(path / kOutput) || is_output(path)) return true;
  const std::vector<fs::path> entries = entries_of(path);
  if (std::any_of(entries.begin(), entries.end(), is_raw)) return true;
  Parts parts;
  take_files(path, parts);
  return parts.has_events();
}

}  // namespace cgpu::ascend
