#include "record/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "base/contains.h"
#include "base/error.h"
#include "readers/common/outside_program.h"
#include "record/child.h"
#include "record/folder.h"
#include "table/json_text_writer.h"

namespace cgpu {

namespace {

namespace fs = std::filesystem;

void choose(PreparedRecording& prepared) {
  const RecordContext context = prepared.context();
  if (!prepared.request.server.empty()) {
    prepared.collector = &kServerCollector;
    const std::string hindrance = why_not(kServerCollector, context);
    if (!hindrance.empty()) throw Error("record --server: " + hindrance);
    return;
  }
  if (prepared.request.tool != "auto") {
    prepared.collector = find_collector(prepared.request.tool);
    if (prepared.collector == nullptr) {
      throw Error(fmt::format("record: no tool is called '{}'", prepared.request.tool));
    }
    const std::string hindrance = why_not(*prepared.collector, context);
    if (!hindrance.empty()) throw Error(fmt::format("record --with {}: {}", prepared.request.tool, hindrance));
    return;
  }
  ChosenCollector chosen = choose_collector(context);
  for (const std::string& missing : chosen.missing) prepared.remarks.push_back("not used: " + missing);
  if (chosen.collector == nullptr) {
    throw Error(fmt::format("record: no tool can record this program here: {}", fmt::join(chosen.missing, "; ")));
  }
  prepared.collector = chosen.collector;
  prepared.remarks.push_back(fmt::format("{}, because {}", chosen.collector->about, chosen.reason));
}

/// "rank00003.1234"
std::string base_name(const Job& job) {
  return fmt::format("rank{:05}.{}", job.rank, ::getpid());
}

std::string shell_text(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(shell_word(word));
  return fmt::format("{}", fmt::join(quoted, " "));
}

/// The words of the command line of a running process. Throws Error.
std::vector<std::string> command_of_process(int64_t process) {
  const std::string folder = fmt::format("/proc/{}", process);
  std::ifstream file(folder + "/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  std::error_code hidden;
  const fs::path program = fs::read_symlink(folder + "/exe", hidden);
  if (words.empty()) throw Error(fmt::format("record --attach {}: no program runs with this number", process));
  if (!hidden) words[0] = program.string();
  return words;
}

std::string tail_of(const std::string& path) {
  constexpr std::streamoff kTail = 16 << 10;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  file.seekg(std::max<std::streamoff>(file.tellg() - std::streamoff{kTail}, 0));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

/// What the collector knows of what the profiler wrote, else its last line.
std::string failure_in(const Collector& collector, const std::string& output) {
  const std::string text = tail_of(output);
  if (contains(text, "No space left on device"))
    return "the disk is full: choose another folder with -o, or record less";
  for (const KnownFailure& known : collector.failures) {
    if (contains(text, known.sign)) return std::string(known.words);
  }
  return last_line(text);
}

std::string log_of(const RecordContext& context) {
  return context.work_base + ".log";
}

/// Runs what begins the recording, or what turns it into a profile. Returns what failed.
std::string run_steps(const std::vector<FollowUp>& steps, const RecordContext& context,
                      const PreparedRecording& prepared, const RecordingProgress& progress) {
  for (const FollowUp& step : steps) {
    const std::string what = fmt::format("{}", fmt::join(step.command, " "));
    const int failed = run_quietly(step.command, step.output, [&] { progress(what); });
    if (failed == 0 || step.may_fail) continue;
    const std::string why = failure_in(*prepared.collector, log_of(context));
    return fmt::format("{} failed{}", shell_text(step.command), why.empty() ? "" : ": " + why);
  }
  return "";
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return !fs::is_empty(path, ignored);
  return fs::exists(path, ignored) && fs::file_size(path, ignored) > 0;
}

/// What of the recording of this process failed, behind the program's end.
std::string failure_of(const RecordContext& context, const PreparedRecording& prepared,
                       const RecordingProgress& progress) {
  const RecordPlan& plan = prepared.plan;
  if (plan.once_for_job || plan.profile.empty()) return "";
  std::string failed = run_steps(plan.follow_ups, context, prepared, progress);
  if (!failed.empty() || is_there(plan.profile)) return failed;
  failed = plan.without_profile.empty() ? failure_in(*prepared.collector, log_of(context)) : plan.without_profile;
  return failed.empty() ? fmt::format("{} wrote no profile", prepared.collector->name) : failed;
}

/// The line that this process leaves in the manifest, where the program's own processes leave none.
std::string process_line(const PreparedRecording& prepared, std::optional<int> status, const std::string& failed) {
  JsonTextWriter json;
  json.begin_object().member("kind", "process").member("tool", prepared.collector->name);
  json.member("pid", static_cast<int64_t>(::getpid()));
  if (prepared.job.is_parallel()) json.member("rank", prepared.job.rank).member("world_size", prepared.job.size);
  const std::string& profile = prepared.plan.profile;
  const auto none = std::optional<std::string>();
  json.member("file", is_there(profile) ? std::optional(fs::path(profile).filename().string()) : none);
  json.member("ended", status ? std::optional(status_text(*status)) : none)
      .member("failed", failed.empty() ? none : std::optional(failed))
      .end_object();
  return std::move(json).text();
}

uint64_t bytes_of_profiles(const std::string& folder) {
  uint64_t bytes = 0;
  std::error_code ignored;
  for (auto entry = fs::recursive_directory_iterator(folder, ignored); entry != fs::recursive_directory_iterator();
       ++entry) {
    if (entry->path().filename().string().starts_with(".")) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file(ignored) && entry->path().filename() != kManifestName) {
      bytes += entry->file_size(ignored);
    }
  }
  return bytes;
}

/// Whether this process is of a rank that records.
bool is_recorded(const PreparedRecording& prepared) {
  const std::vector<int64_t>& ranks = prepared.request.ranks;
  if (ranks.empty() || prepared.collector->is_inside) return true;
  if (!prepared.job.is_parallel()) {
    throw Error(fmt::format("record --with {}: --ranks needs a parallel job: mpirun -n 4 cgpu record ... -- PROGRAM",
                            prepared.collector->name));
  }
  return std::ranges::find(ranks, prepared.job.rank) != ranks.end();
}

/// Begins what has to begin before the program. Throws Error.
void begin(const RecordContext& context, const PreparedRecording& prepared, const RecordingProgress& progress) {
  const std::string failed = run_steps(prepared.plan.before, context, prepared, progress);
  if (failed.empty()) return;
  append_to_manifest(prepared.folder, process_line(prepared, {}, failed));
  throw Error("record: " + failed);
}

/// What failed in the processes of the job, and which of them left no line.
std::vector<std::string> failures_of(const RecordingManifest& manifest) {
  std::vector<std::string> failures;
  for (const RecordedProcess& process : manifest.steps) {
    if (!process.failed.empty()) failures.push_back(process.failed);
  }
  for (const RecordedProcess& process : manifest.processes) {
    if (!process.failed.empty()) failures.push_back(process.failed);
    if (process.rank && process.ended.starts_with("signal ")) {
      failures.push_back(fmt::format("rank {}: it was ended by {}", *process.rank, process.ended));
    }
  }
  for (const std::string& missing : words_of_missing_ranks(manifest)) failures.push_back(missing);
  return failures;
}

/// Whether all processes of the job have left a line.
bool is_complete(const RecordingManifest& manifest, const Job& job) {
  return !job.size || manifest.processes.size() >= static_cast<size_t>(*job.size);
}

}  // namespace

RecordContext PreparedRecording::context() const {
  const std::string work = folder + "/.recorder";
  const std::string name = base_name(job);
  std::string base = folder + "/" + name;
  std::string work_base = work + "/" + name;
  return {request, program, machine, job, folder, std::move(base), work, std::move(work_base)};
}

std::string PreparedRecording::commands() const {
  std::string text;
  const auto add = [&](const std::vector<FollowUp>& steps) {
    for (const FollowUp& step : steps) {
      text += shell_text(step.command) + (step.output.empty() ? "" : " > " + shell_word(step.output)) + "\n";
    }
  };
  add(plan.before);
  for (const auto& [name, value] : plan.environment) text += name + "=" + shell_word(value) + " ";
  text += shell_text(plan.command) + "\n";
  if (!plan.beside.empty()) text += shell_text(plan.beside) + "\n";
  add(plan.follow_ups);
  return text;
}

PreparedRecording prepare_recording(RecordRequest request) {
  PreparedRecording prepared;
  if (request.attach) request.command = command_of_process(*request.attach);
  prepared.program = inspect_program(request.command);
  if (!request.server.empty()) prepared.program.name = "server";
  prepared.machine = inspect_machine();
  prepared.job = job_of_environment();
  prepared.folder = folder_name(request, prepared.program, prepared.job);
  prepared.request = std::move(request);
  const bool is_started = !prepared.request.command.empty() && !prepared.request.attach;
  if (is_started && prepared.program.path.empty()) {
    throw Error(prepared.request.command[0], "is no program that PATH leads to");
  }
  choose(prepared);
  if (!prepared.collector->caution.empty()) prepared.remarks.emplace_back(prepared.collector->caution);
  if (is_recorded(prepared)) {
    const auto make_plan = prepared.request.attach ? prepared.collector->attach : prepared.collector->plan;
    prepared.plan = make_plan(prepared.context());
    if (prepared.request.attach) prepared.plan.has_program = false;
    append(prepared.remarks, prepared.plan.remarks);
  } else {
    prepared.plan.command = prepared.request.command;
  }
  for (const auto& variable : prepared.request.environment) prepared.plan.environment.push_back(variable);
  return prepared;
}

Recording run_recording(const PreparedRecording& prepared, const RecordingProgress& progress) {
  const RecordContext context = prepared.context();
  const RecordPlan& plan = prepared.plan;
  make_recording_folder(prepared.folder, *prepared.collector, prepared.request, prepared.job, plan.has_torch_recorder);
  begin(context, prepared, progress);
  const auto waits = [&] { progress(prepared.request.duration ? "recording" : "recording; Ctrl-C ends it"); };
  const Launch launch{.command = plan.command,
                      .environment = plan.environment,
                      .output_file = plan.has_separate_output ? log_of(context) : "",
                      .process_file = plan.process_file,
                      .beside = plan.beside,
                      .waits_for_beside = plan.waits_for_beside,
                      .beside_output = log_of(context),
                      .is_interrupted = !plan.has_program,
                      .while_it_runs = plan.has_program ? std::function<void()>() : waits};
  Recording recording;
  const int status = run_program(launch);
  if (plan.has_program) recording.status = status;
  const bool leaves_line = !prepared.collector->is_inside;
  if (leaves_line) {
    const std::string failed = failure_of(context, prepared, progress);
    append_to_manifest(prepared.folder, process_line(prepared, recording.status, failed));
  }
  recording.manifest = read_manifest(prepared.folder).value_or(RecordingManifest{});
  recording.is_last = !leaves_line || is_complete(recording.manifest, prepared.job);
  if (!recording.is_last) return recording;
  if (plan.once_for_job) {
    const std::string failed = run_steps(plan.follow_ups, context, prepared, progress);
    if (!failed.empty()) recording.failures.push_back(failed);
  }
  append(recording.failures, failures_of(recording.manifest));
  recording.bytes = bytes_of_profiles(prepared.folder);
  return recording;
}

}  // namespace cgpu
