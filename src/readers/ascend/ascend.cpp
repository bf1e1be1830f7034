#include "readers/ascend/ascend.h"

#include <optional>

#include "base/error.h"
#include "base/json_text.h"
#include "readers/ascend/assembler.h"
#include "readers/ascend/database.h"
#include "readers/ascend/facts.h"
#include "readers/ascend/folder.h"
#include "readers/ascend/mindspore_timeline.h"
#include "readers/ascend/tables.h"
#include "readers/ascend/trace.h"
#include "readers/common/input.h"
#include "readers/common/sqlite/database_input.h"

namespace cgpu::ascend {

namespace {

bool is_database(const Input& input) {
  return sqlite::is_database_with(input, has_tables_of_a_profile, [](std::string_view head) {
    return head.find("STRING_IDS") != std::string_view::npos;
  });
}

/// An array of events whose times are text, or whose first processes have the names that msprof gives them.
bool is_trace(std::string_view head) {
  while (!head.empty() && is_json_space(head.front())) head.remove_prefix(1);
  if (!head.starts_with('[')) return false;
  for (const std::string_view layer : {"\"Ascend Hardware\"", "\"CANN\""}) {
    if (head.find(layer) != std::string_view::npos) return true;
  }
  const std::string_view key = "\"ts\":";
  size_t at = head.find(key);
  if (at == std::string_view::npos) return false;
  at = head.find_first_not_of(" \t\r\n", at + key.size());
  return at != std::string_view::npos && head[at] == '"';
}

Run read_database_file(const Input& input, const ReadOptions& options) {
  const sqlite::DatabaseInput file(input);
  Run run = read_database(file.path(), input.path, {}, options);
  run.input_bytes = input.source->stored_bytes();
  if (!input.source->damage().empty()) run.notes.add("truncated_input", 1, input.source->damage(), true);
  return run;
}

/// A run of the list of kernels alone.
Run read_kernels(TextSource& source, const std::string& name, const Facts& facts) {
  Run run = new_run(name, "ascend");
  apply(facts, run);
  Assembler assembler(run);
  read_kernel_list(source, facts, assembler);
  assembler.finish();
  run.input_bytes = source.stored_bytes();
  run.text_bytes = source.text_position();
  run.notes.add("incomplete_profile", 1,
                "the device ops come from the list of kernels: there is no trace beside it, hence no copies, no host "
                "and no counters");
  return run;
}

class FolderReader {
 public:
  FolderReader(const std::string& folder, const ReadOptions& options, TraceEventReader read_trace_events)
      : folder_(folder), options_(options), read_trace_events_(read_trace_events), parts_(find_parts(folder)) {
    if (!parts_.has_events()) {
      throw Error(folder,
                  "is an Ascend profile without a trace, database or list of kernels: analyse the raw records first "
                  "(torch_npu.profiler.profiler.analyse, or msprof --export=on)");
    }
  }

  Run read() {
    read_facts();
    Run run = read_events();
    run.file = folder_;
    if (run.timeline.memory.empty()) read_memory(run);
    return run;
  }

 private:
  void read_facts() {
    if (!parts_.info.empty()) read_profiler_info(parts_.info, facts_);
    if (!parts_.metadata.empty()) read_profiler_metadata(parts_.metadata, facts_);
    if (!parts_.communication.empty()) read_communication(parts_.communication, facts_);
    if (!parts_.step_trace.empty()) read_step_trace(parts_.step_trace, facts_);
    if (!parts_.analysis.empty()) read_analysis(parts_.step_trace.empty());
    for (const StepTrace& step : facts_.step_traces) {
      if (step.device >= 0) facts_.device = step.device;
    }
    std::string unread;
    for (const std::string& name : parts_.unread) unread += (unread.empty() ? "" : ", ") + name;
    facts_.notes.add("unread_table", static_cast<int64_t>(parts_.unread.size()),
                     "files of the profile that cgpu does not use: " + unread);
  }

  void read_analysis(bool steps) {
    std::vector<StepTrace> known = facts_.step_traces;
    read_analysis_database(parts_.analysis, facts_);
    if (!steps) facts_.step_traces = std::move(known);
  }

  /// From the most exact part that can be read.
  Run read_events() {
    if (!parts_.database.empty()) {
      if (auto run = attempt("the database",
                             [&] { return read_database(parts_.database, parts_.database, facts_, options_); })) {
        return std::move(*run);
      }
    }
    if (!parts_.trace.empty()) {
      if (auto run = attempt("the trace", [&] {
            return read_trace(open_text(parts_.trace), parts_.trace, facts_, options_, read_trace_events_);
          })) {
        return std::move(*run);
      }
    }
    if (parts_.kernels.empty()) throw Error(failure_);
    if (!facts_.device) facts_.device = device_of_memory();
    return read_kernels(*open_text(parts_.kernels), folder_, facts_);
  }

  template <typename Read>
  std::optional<Run> attempt(const char* what, Read read) {
    try {
      return read();
    } catch (const Error& error) {
      failure_ = error.what();
      facts_.notes.add("damaged_input", 1, std::string(what) + " was left out: " + error.what(), true);
      return std::nullopt;
    }
  }

  void read_memory(Run& run) const {
    const std::string& file = parts_.memory_record.empty() ? parts_.operator_memory : parts_.memory_record;
    if (file.empty()) return;
    try {
      const auto source = open_text(file);
      Assembler assembler(run);
      if (parts_.memory_record.empty()) {
        read_operator_memory(*source, assembler);
      } else {
        read_memory_record(*source, assembler);
      }
    } catch (const Error& error) {
      run.notes.add("damaged_input", 1, error.what(), true);
    }
  }

  /// The number of the device, where the list of kernels does not have it.
  std::optional<int32_t> device_of_memory() const {
    Run run;
    read_memory(run);
    if (run.timeline.memory.empty()) return std::nullopt;
    return run.timeline.memory.front().device;
  }

  std::string folder_;
  const ReadOptions& options_;
  TraceEventReader read_trace_events_;
  Parts parts_;
  Facts facts_;
  std::string failure_;
};

}  // namespace

bool is_profile(const Input& input) {
  if (input.is_folder) return is_profile_folder(input.path);
  return is_database(input) || is_kernel_list(input.head) || is_trace(input.head) || is_mindspore_timeline(input.head);
}

Run read_profile(const Input& input, const ReadOptions& options, TraceEventReader read_trace_events) {
  if (input.is_folder) return FolderReader(input.path, options, read_trace_events).read();
  if (input.head.starts_with(sqlite::kMagic)) return read_database_file(input, options);
  if (is_kernel_list(input.head)) return read_kernels(*input.source, input.path, {});
  if (is_mindspore_timeline(input.head)) {
    return read_mindspore_timeline(input.source, input.path, options, read_trace_events);
  }
  return read_trace(input.source, input.path, {}, options, read_trace_events);
}

}  // namespace cgpu::ascend
