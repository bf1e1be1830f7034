#include "session/ranks/rank_worker.h"

#include <exception>
#include <map>
#include <new>
#include <utility>

#include "analysis/partial_bytes.h"
#include "base/message.h"
#include "base/threads.h"
#include "session/summaries/summary_messages.h"

namespace cgpu {

namespace {

template <typename Archive, typename Options>
void open_members(Archive& archive, Options& open) {
  archive(open.inputs, open.input_format, open.kernel_rules, open.peaks, open.device_model, open.capture, open.threads,
          open.strict, open.memory);
}

template <typename Archive, typename Profile>
void profile_members(Archive& archive, Profile& profile) {
  archive(profile.path, profile.found, profile.is_folder, profile.run_of_file);
}

template <typename Archive, typename Task>
void task_members(Archive& archive, Task& task) {
  archive(task.number);
  archive.one([&] { profile_members(archive, task.profile); });
  wait_members(archive, task.waits);
}

RankTask task_from_bytes(const std::string& bytes) {
  MessageReader message(bytes, "a task");
  RankTask task;
  task_members(message, task);
  return task;
}

/// Whether write_run leaves nothing out that tables ask for.
bool can_be_sent(const Run& run) {
  return !run.call_tree && !run.launch_metrics && !run.op_graph;
}

}  // namespace

std::string job_to_bytes(const OpenOptions& open, const RankPass& pass) {
  MessageWriter message;
  message.one([&] { open_members(message, open); });
  message(pass.keeps_runs, pass.selects_ranks, pass.collector == nullptr ? std::string() : pass.collector->name());
  message.each(pass.wanted.size(),
               [&](size_t i) { message(pass.wanted[i].analysis->name, pass.wanted[i].options.all()); });
  return message.take();
}

std::string task_to_bytes(const RankTask& task) {
  MessageWriter message;
  task_members(message, task);
  return message.take();
}

RankAnswer answer_from_bytes(const std::string& bytes, const RankPass& pass, const RankTask& task) {
  MessageReader message(bytes, task.profile.path + " (as another process has read it)");
  RankAnswer answer;
  bool is_seen = false;
  message(answer.error, answer.warnings, is_seen);
  if (!is_seen) return answer;
  ProcessedRank& seen = answer.seen.emplace();
  message(seen.outcome);
  message.one([&] {
    seen.run = read_run(message);
    seen.run->number = task.number;
  });
  std::vector<std::string> kept;
  message(kept, answer.collected);
  if (kept.size() != pass.wanted.size()) message.fail("holds another number of tables than was asked for");
  for (size_t i = 0; i < kept.size(); ++i) {
    const WantedTable& wanted = pass.wanted[i];
    answer.partials.push_back(
        kept[i].empty() ? nullptr : partial_from_bytes(*wanted.analysis, wanted.options, kept[i], task.profile.path));
  }
  return answer;
}

RankWorker::RankWorker(const std::string& job, Exchange& exchange, const MakeCollector& make_collector) {
  MessageReader message(job, "a job");
  std::string collector;
  message.one([&] { open_members(message, open_); });
  message(pass_.keeps_runs, pass_.selects_ranks, collector);
  message.each(0, [&](size_t) {
    std::string name;
    std::map<std::string, std::vector<std::string>> options;
    message(name, options);
    WantedTable& wanted = pass_.wanted.emplace_back(WantedTable{&find_analysis(name)});
    for (auto& [option, values] : options) wanted.options.set(option, std::move(values));
  });
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
  ProcessedRank seen;
  std::string error = error_;
  try {
    if (opener_) seen = opener_->process(task, pass_, partials);
  } catch (const OutOfMemory& memory) {
    error = memory.what();
  } catch (const std::bad_alloc&) {
    error = OutOfMemory(task.profile.path).what();
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  const bool is_seen = error.empty() && (!seen.run || can_be_sent(*seen.run));
  MessageWriter message;
  message(error, std::exchange(warnings_, {}), is_seen);
  if (!is_seen) return message.take();
  message(seen.outcome);
  message.each(seen.run ? 1 : 0, [&](size_t) { write_run(message, *seen.run); });
  std::vector<std::string> kept;
  for (size_t i = 0; i < partials.size(); ++i) {
    const WantedTable& wanted = pass_.wanted[i];
    kept.push_back(partials[i] ? partial_to_bytes(*wanted.analysis, wanted.options, *partials[i]) : std::string());
  }
  const bool is_collected = pass_.collector != nullptr && seen.outcome == RankOutcome::processed;
  message(kept, is_collected ? pass_.collector->take_bytes(task.number) : std::string());
  return message.take();
}

}  // namespace cgpu
