#include "session/rank_worker.h"

#include <exception>
#include <map>
#include <new>
#include <utility>

#include "analysis/partial_bytes.h"
#include "base/archive.h"
#include "base/threads.h"
#include "session/summary_archive.h"

namespace cgpu {

namespace {

template <typename Archive, typename Options>
void open_members(Archive& archive, Options& open) {
  archive(open.inputs, open.input_format, open.kernel_rules, open.peaks, open.capture, open.threads, open.strict,
          open.memory);
}

template <typename Archive, typename Profile>
void profile_members(Archive& archive, Profile& profile) {
  archive(profile.path, profile.found, profile.is_folder, profile.run_of_file);
}

RankTask task_from_bytes(const std::string& bytes) {
  ByteReader reader(bytes, "a task");
  RankTask task;
  uint64_t count = 0;
  reader(task.number);
  profile_members(reader, task.profile);
  for (reader(count); count > 0; --count) {
    HostCauses::Wait& wait = task.waits.emplace_back();
    reader(wait.thread, wait.time.begin, wait.time.end);
  }
  return task;
}

/// Whether write_run leaves nothing out that tables ask for.
bool can_be_sent(const Run& run) {
  return !run.call_tree && !run.launch_metrics && !run.op_graph;
}

}  // namespace

std::string job_to_bytes(const OpenOptions& open, const RankPass& pass) {
  ByteWriter bytes;
  open_members(bytes, open);
  bytes(pass.keeps_runs, pass.selects_ranks, pass.collector == nullptr ? std::string() : pass.collector->name(),
        static_cast<uint64_t>(pass.wanted.size()));
  for (const WantedTable& wanted : pass.wanted) bytes(wanted.analysis->name, wanted.options.all());
  return bytes.take();
}

std::string task_to_bytes(const RankTask& task) {
  ByteWriter bytes;
  bytes(task.number);
  profile_members(bytes, task.profile);
  bytes(static_cast<uint64_t>(task.waits.size()));
  for (const HostCauses::Wait& wait : task.waits) bytes(wait.thread, wait.time.begin, wait.time.end);
  return bytes.take();
}

RankAnswer answer_from_bytes(const std::string& bytes, const RankPass& pass, const RankTask& task) {
  ByteReader reader(bytes, task.profile.path + " (as another process has read it)");
  RankAnswer answer;
  bool is_seen = false;
  reader(answer.error, answer.warnings, is_seen);
  if (!is_seen) return answer;
  SeenRank& seen = answer.seen.emplace();
  bool has_run = false;
  reader(seen.outcome, has_run);
  if (has_run) {
    seen.run = read_run(reader);
    seen.run->number = task.number;
  }
  for (const WantedTable& wanted : pass.wanted) {
    std::string kept;
    reader(kept);
    answer.partials.push_back(
        kept.empty() ? nullptr : partial_from_bytes(*wanted.analysis, wanted.options, kept, task.profile.path));
  }
  reader(answer.collected);
  return answer;
}

RankWorker::RankWorker(const std::string& job, Exchange& exchange, const MakeCollector& make_collector) {
  ByteReader reader(job, "a job");
  std::string collector;
  uint64_t count = 0;
  open_members(reader, open_);
  reader(pass_.keeps_runs, pass_.selects_ranks, collector, count);
  for (; count > 0; --count) {
    std::string name;
    std::map<std::string, std::vector<std::string>> options;
    reader(name, options);
    WantedTable& wanted = pass_.wanted.emplace_back(WantedTable{&find_analysis(name)});
    for (auto& [option, values] : options) wanted.options.set(option, std::move(values));
  }
  if (!collector.empty()) collector_ = make_collector(collector);
  pass_.collector = collector_.get();
  open_.exchange = &exchange;
  open_.warn = [this](const std::string& line) { warnings_.push_back(line); };
  try {
    opener_.emplace(open_, thread_count(open_.threads != 0 ? open_.threads : exchange.threads()));
  } catch (const std::exception& error) {
    error_ = error.what();
  }
}

std::string RankWorker::answer(const std::string& bytes) {
  const RankTask task = task_from_bytes(bytes);
  Partials partials = new_partials(pass_.wanted);
  SeenRank seen;
  std::string error = error_;
  try {
    if (opener_) seen = opener_->see(task, pass_, partials);
  } catch (const OutOfMemory& memory) {
    error = memory.what();
  } catch (const std::bad_alloc&) {
    error = OutOfMemory(task.profile.path).what();
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  const bool is_seen = error.empty() && (!seen.run || can_be_sent(*seen.run));
  ByteWriter writer;
  writer(error, std::exchange(warnings_, {}), is_seen);
  if (!is_seen) return writer.take();
  writer(seen.outcome, seen.run.has_value());
  if (seen.run) write_run(writer, *seen.run);
  for (size_t i = 0; i < partials.size(); ++i) {
    const WantedTable& wanted = pass_.wanted[i];
    writer(partials[i] ? partial_to_bytes(*wanted.analysis, wanted.options, *partials[i]) : std::string());
  }
  const bool is_collected = pass_.collector != nullptr && seen.outcome == RankOutcome::seen;
  writer(is_collected ? pass_.collector->take_bytes(task.number) : std::string());
  return writer.take();
}

}  // namespace cgpu
