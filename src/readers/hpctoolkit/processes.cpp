#include "readers/hpctoolkit/processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/interval_set.h"
#include "model/summed_processes.h"
#include "readers/hpctoolkit/structures.h"

namespace cgpu::hpctoolkit {

namespace {

using Group = std::pair<std::optional<uint64_t>, std::optional<uint64_t>>;  // machine and rank

Group group_of(const Identity& id) {
  return {id.node, id.rank};
}

/// From the first to the last element of each profile's trace.
std::vector<std::optional<Interval>> trace_times(const Profiles& profiles, const Bytes& file) {
  std::vector<std::optional<Interval>> times(profiles.identities().size());
  const auto header = read_file_header(file, "trce", 1);
  const auto section = header ? read_structure<ContextTraces>(file, header->sections[0].offset) : std::nullopt;
  if (!section) return times;
  const Array traces = file.clip(section->traces, ContextTrace::kEnd);
  for (uint64_t i = 0; i < traces.count; ++i) {
    const auto trace = read_structure<ContextTrace>(file, traces[i]);
    const auto profile = trace ? profiles.profile_at(trace->profile) : std::nullopt;
    if (!profile || trace->elements.count == 0) continue;
    const auto time = [&](uint64_t element) {
      return file.known_fields(trace->elements[element]).u64(TraceElement::kTimestamp);
    };
    const uint64_t first = time(0);
    const uint64_t last = time(trace->elements.count - 1);
    if (first <= last && last <= INT64_MAX) {
      times[*profile] = Interval{static_cast<int64_t>(first), static_cast<int64_t>(last)};
    }
  }
  return times;
}

/// The program whose main function a place was reached from: the module of the outermost function called main, else of
/// the outermost one. With whether it was main.
std::pair<StringId, bool> program_at(const CallTree& tree, NodeIndex node) {
  std::pair<StringId, bool> program{0, false};
  for (; node != kNoNode; node = tree.nodes.parent[node]) {
    if (tree.nodes.kind[node] != NodeKind::function || tree.nodes.module[node] == 0) continue;
    const bool is_main = tree.names[tree.nodes.name[node]] == "main";
    if (is_main || !program.second) program = {tree.nodes.module[node], is_main};
  }
  return program;
}

std::string program_of(const Profiles& profiles, uint32_t profile, const Meta& meta) {
  constexpr uint64_t kLookedAt = 100;  // main is among the first
  StringId found = 0;
  for (const uint32_t context : profiles.first_contexts_of(profile, kLookedAt)) {
    const NodeIndex node = meta.contexts.node_of(context);
    if (node == kNoNode) continue;
    const auto [module, is_main] = program_at(meta.tree, node);
    if (module != 0 && (found == 0 || is_main)) found = module;
    if (is_main) break;
  }
  if (found == 0) return "";
  const std::string_view path = meta.tree.names[found];
  return std::string(path.substr(path.find_last_of('/') + 1));
}

/// Which of several processes was there at a time, if only one was.
class RunningProcess {
 public:
  /// `mains`: the main threads, in the order in which they began.
  RunningProcess(const std::vector<uint32_t>& mains, const std::vector<std::optional<Interval>>& times) {
    Begun now;
    for (const uint32_t main : mains) {
      if (!times[main]) continue;
      const Interval& time = *times[main];
      if (time.end > now.last_end) {
        now.other_end = now.last_end;
        now.last_end = time.end;
        now.last = main;
      } else {
        now.other_end = std::max(now.other_end, time.end);
      }
      now.at = time.begin;
      begun_.push_back(now);
    }
  }

  std::optional<uint32_t> at(int64_t time) const {
    const auto after = std::upper_bound(begun_.begin(), begun_.end(), time,
                                        [](int64_t t, const Begun& begun) { return t < begun.at; });
    if (after == begun_.begin()) return std::nullopt;
    const Begun& begun = *(after - 1);
    return begun.last_end >= time && begun.other_end < time ? std::optional(begun.last) : std::nullopt;
  }

 private:
  /// Of the processes that have begun by a time: the one that ends last, and the latest end of the others.
  struct Begun {
    int64_t at = INT64_MIN;
    int64_t last_end = INT64_MIN;
    int64_t other_end = INT64_MIN;
    uint32_t last = 0;
  };
  std::vector<Begun> begun_;
};

/// Whether all have times and no two overlap.
bool are_one_after_another(std::vector<std::optional<Interval>> times) {
  if (std::any_of(times.begin(), times.end(), [](const auto& time) { return !time; })) return false;
  std::sort(times.begin(), times.end(), [](const auto& a, const auto& b) { return a->begin < b->begin; });
  for (size_t i = 1; i < times.size(); ++i) {
    if (times[i]->begin < times[i - 1]->end) return false;
  }
  return true;
}

}  // namespace

Processes find_processes(const Profiles& profiles, const Bytes& trace, const Meta& meta, Notes& notes) {
  const std::vector<Identity>& identities = profiles.identities();
  Processes processes;
  std::map<Group, std::vector<uint32_t>> mains;
  for (uint32_t i = 0; i < identities.size(); ++i) {
    if (identities[i].thread == 0U && !identities[i].stream) mains[group_of(identities[i])].push_back(i);
  }
  std::erase_if(mains, [](const auto& group) { return group.second.size() < 2; });
  if (mains.empty()) return processes;

  const std::vector<std::optional<Interval>> times = trace_times(profiles, trace);
  std::vector<uint32_t> all;
  size_t runs = 0;
  for (const auto& [group, of_group] : mains) {
    all.insert(all.end(), of_group.begin(), of_group.end());
    if (group.second) runs = std::max(runs, of_group.size());
  }
  std::sort(all.begin(), all.end());
  std::ranges::stable_sort(all, [&](uint32_t a, uint32_t b) {
    return times[a] && times[b] ? times[a]->begin < times[b]->begin : times[a].has_value() && !times[b];
  });
  processes.of_profile.assign(identities.size(), 0);
  std::vector<std::optional<Interval>> of_processes;
  for (const uint32_t profile : all) {
    processes.programs.push_back(program_of(profiles, profile, meta));
    processes.of_profile[profile] = static_cast<uint32_t>(processes.programs.size());
    of_processes.push_back(times[profile]);
  }
  std::map<Group, RunningProcess> running;
  for (auto& [group, of_group] : mains) {
    std::sort(of_group.begin(), of_group.end(),
              [&](uint32_t a, uint32_t b) { return processes.of_profile[a] < processes.of_profile[b]; });
    running.try_emplace(group, of_group, times);
  }
  int64_t untold = 0;
  for (uint32_t i = 0; i < identities.size(); ++i) {
    const auto group = running.find(group_of(identities[i]));
    if (group == running.end() || processes.of_profile[i] != 0) continue;
    const auto main = times[i] ? group->second.at(times[i]->begin) : std::nullopt;
    if (main) processes.of_profile[i] = processes.of_profile[*main];
    untold += main ? 0 : 1;
  }

  if (runs > 0) {
    notes.add(kSummedRuns, static_cast<int64_t>(runs),
              "runs of the same ranks were measured into one folder: all figures are their sums; measure each run "
              "into a folder of its own");
  } else {
    notes.add(kSummedProcesses, static_cast<int64_t>(all.size()),
              fmt::format("processes without ranks are in this database{}: all figures are their sums, whether they "
                          "are parts of one run or several runs that were measured into one folder; the tables "
                          "profiles and processes tell them apart",
                          are_one_after_another(of_processes) ? ", one after another" : ""));
  }
  notes.add("unknown_process", untold, "threads and streams that may belong to any of several processes");
  return processes;
}

}  // namespace cgpu::hpctoolkit
