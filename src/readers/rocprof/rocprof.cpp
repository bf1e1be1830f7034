#include "readers/rocprof/rocprof.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "base/error.h"
#include "readers/common/input.h"
#include "readers/rocprof/csv_files.h"
#include "readers/rocprof/databases.h"
#include "readers/rocprof/json_results.h"
#include "readers/rocprof/v1_trace.h"

namespace cgpu::rocprof {

namespace {

namespace fs = std::filesystem;

constexpr size_t kHead = size_t{64} << 10;
constexpr size_t kMostFiles = 10'000;

/// A file of a folder.
struct Part {
  std::string path;
  CsvKind kind = CsvKind::none;
  bool json = false;
};

/// The name of a file without what it holds, which the files of one process share: "4711" of "4711_kernel_trace.csv".
std::string process_of(const fs::path& path) {
  static constexpr std::string_view kEndings[] = {"_kernel_trace",      "_memory_copy_trace",
                                                  "_hip_api_trace",     "_hip_runtime_trace",
                                                  "_hip_compile_trace", "_hip_compiler_api_trace",
                                                  "_hsa_api_trace",     "_marker_api_trace",
                                                  "_rccl_api_trace",    "_rocdecode_api_trace",
                                                  "_rocjpeg_api_trace", "_counter_collection",
                                                  "_agent_info",        "_results"};
  std::string name = path.filename().string();
  name = name.substr(0, name.find('.'));
  for (const std::string_view ending : kEndings) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
    if (name == ending.substr(1)) return "";
  }
  return name;
}

bool has_ending(const fs::path& path, std::string_view ending) {
  const std::string name = path.filename().string();
  return name.ends_with(ending) || name.ends_with(std::string(ending) + ".gz");
}

/// What a file is; nothing of one that is no part, or that cannot be read.
Part part_of(const fs::path& path) {
  Part part;
  part.path = path.string();
  const bool csv = has_ending(path, ".csv");
  if (!csv && !has_ending(path, "_results.json")) return part;
  try {
    const auto source = open_text(part.path);
    std::string head(kHead, '\0');
    head.resize(source->read_at(0, head.data(), head.size()));
    if (csv) part.kind = csv_kind_of(head);
    part.json = !csv && is_json_results(head);
  } catch (const Error&) {
    // no part, like other files of the folder
  }
  return part;
}

/// Calls visit(path) for the files of a folder by their names, until it returns false. Returns how many entries it left
/// out: folders, and files beyond kMostFiles.
template <typename Visit>
int64_t each_file(const std::string& folder, Visit visit) {
  std::vector<fs::path> files;
  int64_t left_out = 0;
  std::error_code failed;
  for (fs::directory_iterator at(folder, fs::directory_options::skip_permission_denied, failed), end;
       !failed && at != end; at.increment(failed)) {
    std::error_code ignored;
    if (at->path().filename().string().starts_with(".")) continue;
    const bool taken = at->is_regular_file(ignored) && files.size() < kMostFiles;
    if (taken) files.push_back(at->path());
    left_out += taken ? 0 : 1;
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    if (!visit(file)) break;
  }
  return left_out;
}

/// JSON results alone are profiles by themselves; several may be ranks.
bool is_folder_of_parts(const std::string& folder) {
  bool found = false;
  each_file(folder, [&](const fs::path& file) {
    if (has_ending(file, ".csv")) found = is_read(part_of(file).kind);
    return !found;
  });
  return found;
}

void note_sizes(const TextSource& source, Run& run) {
  run.input_bytes += source.stored_bytes();
  run.text_bytes += source.text_position();
}

void read_folder(const std::string& folder, Assembler& assembler) {
  std::map<std::string, std::vector<Part>> processes;
  Notes& notes = assembler.run.notes;
  int64_t others = 0;
  std::string first;
  const int64_t left_out = each_file(folder, [&](const fs::path& file) {
    Part part = part_of(file);
    if (part.json || part.kind != CsvKind::none) {
      processes[process_of(file)].push_back(std::move(part));
    } else if (others++ == 0) {
      first = " (first: " + file.filename().string() + ")";
    }
    return true;
  });
  notes.add("skipped_file", others + left_out,
            "files and folders beside the tables of rocprof were not read" + first + "; name them by themselves");
  // Repeated measurements are in this one file.
  const auto joined = processes.find("pmc_perf");
  for (auto& [process, parts] : processes) {
    assembler.begin_process(process);
    const auto json = std::find_if(parts.begin(), parts.end(), [](const Part& part) { return part.json; });
    if (json != parts.end()) {
      const auto source = open_text(json->path);
      read_json_results(*source, json->path, assembler);
      note_sizes(*source, assembler.run);
      notes.add("skipped_file", static_cast<int64_t>(parts.size()) - 1,
                "CSV files repeat what the JSON results beside them say; they were not read");
      continue;
    }
    std::ranges::stable_sort(parts, [](const Part& a, const Part& b) { return a.kind < b.kind; });
    for (const Part& part : parts) {
      const bool again = part.kind == CsvKind::launches && joined != processes.end() && &parts != &joined->second;
      if (again || !is_read(part.kind)) {
        notes.add("skipped_file", 1,
                  again ? "files of single counters repeat what pmc_perf.csv says; they were not read"
                        : "statistics and lists of allocations are not read");
        continue;
      }
      const auto source = open_text(part.path);
      read_csv(*source, part.kind, part.path, assembler);
      note_sizes(*source, assembler.run);
    }
  }
}

}  // namespace

bool is_profile(const Input& input) {
  if (input.is_folder) return is_folder_of_parts(input.path);
  return is_database(input) || is_json_results(input.head) || is_v1_trace(input.head) ||
         is_read(csv_kind_of(input.head));
}

Run read_profile(const Input& input, const ReadOptions&) {
  Run run = new_run(input.path, "rocprof");
  Assembler assembler(run);
  if (input.is_folder) {
    run.format_version = "folder";
    read_folder(input.path, assembler);
  } else if (is_database(input)) {
    run.format_version = read_database(input, assembler);
  } else if (is_json_results(input.head)) {
    run.format_version = "rocprofv3 JSON";
    read_json_results(*input.source, input.path, assembler);
    note_sizes(*input.source, run);
  } else if (is_v1_trace(input.head)) {
    run.format_version = "rocprof v1 trace";
    read_v1_trace(*input.source, input.path, assembler);
    note_sizes(*input.source, run);
  } else {
    const CsvKind kind = csv_kind_of(input.head);
    if (!is_read(kind)) throw Error(input.path, "is no CSV file of rocprof that says something of a run");
    run.format_version = kind == CsvKind::launches ? "counters CSV" : "rocprofv3 CSV";
    read_csv(*input.source, kind, input.path, assembler);
    note_sizes(*input.source, run);
  }
  assembler.finish();
  return run;
}

std::string describe_unread(std::string_view head) {
  switch (csv_kind_of(head)) {
    case CsvKind::statistics:
      return "a table of statistics by rocprof: open the traces that it was made from";
    case CsvKind::allocations:
      return "a list of allocations by rocprofv3, which is not read: open the other traces of the run";
    default:
      break;
  }
  if (head.starts_with("ROCProfilerV2:") || head.starts_with("Enabling API Tracing") || head.starts_with("Domain(")) {
    return "the text that rocprofv2 prints, which is not read: record with rocprofv3 --output-format csv or json";
  }
  if (head.starts_with("workload_name,command,") || head.starts_with("device,HBMBw,")) {
    return "a description of the machine by rocprofiler-compute: open the pmc_perf.csv beside it";
  }
  return "";
}

}  // namespace cgpu::rocprof
