#include "links/graph_captures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/contains.h"
#include "base/sequence_difference.h"
#include "kernels/names.h"
#include "model/argument_reader.h"
#include "model/plausible.h"

namespace cgpu {

bool replays_graph(std::string_view call) {
  return contains(call, "GraphLaunch");
}

namespace {

constexpr std::string_view kCopyName = "(copy)";
constexpr std::string_view kSetName = "(set)";

bool begins_capture(std::string_view call) {
  return contains(call, "StreamBeginCapture");
}
bool ends_capture(std::string_view call) {
  return contains(call, "StreamEndCapture");
}
/// Whether a call of this name becomes a node of a graph that runs on the device.
bool is_captured_work(std::string_view call) {
  return (contains(call, "Launch") && !replays_graph(call) && !contains(call, "LaunchHostFunc")) ||
         contains(call, "Memcpy") || contains(call, "Memset");
}

/// What is compared of an op and of a captured call: numbers of texts, the same for replays and captures.
struct GraphStep {
  uint64_t name = 0;  // of the kernel; of copies and memsets that they are one; 0 where a call does not say
  uint64_t kind = 0;  // its class
};
using GraphSteps = std::vector<GraphStep>;

class StepNumbers {
 public:
  explicit StepNumbers(const KernelDictionary& dictionary) : dictionary_(dictionary) {}

  GraphStep of_kernel(std::string_view name) {
    return {number(name), 1 + static_cast<uint64_t>(dictionary_.classify(name))};
  }
  GraphStep of_copy() { return {number(kCopyName), 1 + static_cast<uint64_t>(KernelClass::copy)}; }
  GraphStep of_set() { return {number(kSetName), 1 + static_cast<uint64_t>(KernelClass::set)}; }

 private:
  uint64_t number(std::string_view name) {
    return numbers_.try_emplace(std::string(name), numbers_.size() + 1).first->second;
  }
  const KernelDictionary& dictionary_;
  std::unordered_map<std::string, uint64_t> numbers_;
};

/// Captured calls, in order.
struct Capture {
  uint32_t profile = 0;
  std::vector<SliceIndex> calls;
  GraphSteps steps;
};

/// Device ops of a replay, in order.
struct Replay {
  SliceIndex launch = kNone;
  std::vector<uint32_t> ops;
  GraphSteps steps;
};

/// The captures of a profile, without what their calls launch.
std::vector<Capture> captures_of(const Run& run, uint32_t profile) {
  const Timeline& timeline = run.timeline;
  const Slices& slices = timeline.slices;
  std::vector<uint8_t> roles(timeline.names.size(), 0);
  constexpr uint8_t kBegins = 1, kEnds = 2, kWork = 4;
  bool any = false;
  for (StringId name = 0; name < roles.size(); ++name) {
    const std::string_view text = timeline.names[name];
    roles[name] = begins_capture(text) ? kBegins : ends_capture(text) ? kEnds : is_captured_work(text) ? kWork : 0;
    any = any || roles[name] == kBegins;
  }
  if (!any) return {};
  std::vector<bool> launched(slices.size());
  for (const SliceIndex op : timeline.device_ops.slice) {
    if (slices.launch[op] != kNone) launched[slices.launch[op]] = true;
  }
  std::vector<SliceIndex> calls;
  for (SliceIndex i = 0; i < slices.size(); ++i) {
    if (is_call(timeline.kind(i)) && roles[slices.name[i]] != 0) calls.push_back(i);
  }
  std::stable_sort(calls.begin(), calls.end(),
                   [&](SliceIndex a, SliceIndex b) { return slices.start[a] < slices.start[b]; });
  std::vector<Capture> captures;
  std::map<std::pair<std::string, std::string>, Capture> open;  // by process and thread
  for (const SliceIndex call : calls) {
    const Track& track = timeline.tracks[slices.track[call]];
    const std::pair key(track.process, track.thread);
    const uint8_t role = roles[slices.name[call]];
    if (role == kBegins) {
      open[key] = {profile, {}, {}};
    } else if (role == kEnds) {
      const auto ended = open.find(key);
      if (ended == open.end()) continue;
      if (!ended->second.calls.empty()) captures.push_back(std::move(ended->second));
      open.erase(ended);
    } else if (!launched[call]) {
      // Work of another thread of the process belongs to the capture too, if there is only one.
      auto of = open.find(key);
      if (of == open.end() && open.size() == 1 && open.begin()->first.first == track.process) of = open.begin();
      // A runtime call and the driver call inside it are one piece of work.
      if (of == open.end() || (!of->second.calls.empty() && slices.parent[call] == of->second.calls.back())) continue;
      of->second.calls.push_back(call);
    }
  }
  return captures;
}

/// Reads what the calls of captures launched: PyTorch's profiler of AMD devices writes the kernel as an argument.
void read_steps(const Run& run, std::span<Capture> captures, StepNumbers& numbers) {
  const Timeline& timeline = run.timeline;
  ArgumentReader reader(run.arguments.get(), 0, {"kernel"});
  for (Capture& capture : captures) {
    std::vector<uint64_t> sources;
    for (const SliceIndex call : capture.calls) sources.push_back(timeline.slices.source[call]);
    capture.steps.assign(capture.calls.size(), GraphStep{});
    reader.for_each(sources, [&](size_t i, std::span<const ArgumentView> arguments) {
      const std::string_view call = timeline.name(capture.calls[i]);
      if (contains(call, "Memcpy")) {
        capture.steps[i] = numbers.of_copy();
      } else if (contains(call, "Memset")) {
        capture.steps[i] = numbers.of_set();
      } else if (!arguments.empty() && !arguments[0].value.empty()) {
        capture.steps[i] = numbers.of_kernel(full_kernel_name(arguments[0].value));
      }
    });
  }
}

/// What kind of step a device op is. A runtime may copy and fill by kernels of its own.
GraphStep step_of(const Timeline& timeline, uint32_t op, StepNumbers& numbers) {
  const SliceIndex slice = timeline.device_ops.slice[op];
  const std::string_view name = timeline.name(slice);
  if (timeline.kind(slice) == SliceKind::memcpy || name.starts_with("__amd_rocclr_copyBuffer"))
    return numbers.of_copy();
  if (timeline.kind(slice) == SliceKind::memset || name.starts_with("__amd_rocclr_fillBuffer")) return numbers.of_set();
  return numbers.of_kernel(name);
}

std::vector<Replay> replays_of(const Run& run, StepNumbers& numbers) {
  const Timeline& timeline = run.timeline;
  const Slices& slices = timeline.slices;
  std::map<SliceIndex, Replay> by_launch;
  std::vector<uint32_t> all;
  for (uint32_t op = 0; op < timeline.device_ops.size(); ++op) {
    const SliceIndex slice = timeline.device_ops.slice[op];
    const SliceIndex launch = slices.launch[slice];
    if (launch == kNone || !replays_graph(timeline.name(launch)) || !is_plausible(timeline, slice)) continue;
    by_launch[launch].ops.push_back(op);
    all.push_back(op);
  }
  std::vector<uint64_t> sources;
  for (const uint32_t op : all) sources.push_back(slices.source[timeline.device_ops.slice[op]]);
  std::unordered_map<uint32_t, uint64_t> nodes;
  ArgumentReader reader(run.arguments.get(), 0, {"graph node id"});
  reader.for_each(sources, [&](size_t i, std::span<const ArgumentView> arguments) {
    if (arguments.empty()) return;
    const uint64_t node = std::strtoull(std::string(arguments[0].value).c_str(), nullptr, 10);
    if (node != 0) nodes[all[i]] = node;
  });
  std::vector<Replay> replays;
  for (auto& [launch, replay] : by_launch) {
    replay.launch = launch;
    const bool all_nodes =
        std::all_of(replay.ops.begin(), replay.ops.end(), [&](uint32_t op) { return nodes.count(op) > 0; });
    std::stable_sort(replay.ops.begin(), replay.ops.end(), [&](uint32_t a, uint32_t b) {
      if (all_nodes) return nodes[a] < nodes[b];
      return slices.start[timeline.device_ops.slice[a]] < slices.start[timeline.device_ops.slice[b]];
    });
    for (const uint32_t op : replay.ops) replay.steps.push_back(step_of(timeline, op, numbers));
    replays.push_back(std::move(replay));
  }
  std::stable_sort(replays.begin(), replays.end(),
                   [&](const Replay& a, const Replay& b) { return slices.start[a.launch] < slices.start[b.launch]; });
  return replays;
}

/// Which call each op of a replay was captured as, by their places; kNone for none.
struct PlacesOfOps {
  std::vector<uint32_t> call_of;
  size_t by_name = 0;
  size_t by_class = 0;
  size_t by_place = 0;

  size_t all() const { return by_name + by_class + by_place; }
};

std::vector<uint64_t> keys_of(const GraphSteps& steps, uint64_t GraphStep::*key, const std::vector<uint32_t>& places) {
  std::vector<uint64_t> keys;
  for (const uint32_t place : places) keys.push_back(steps[place].*key);
  return keys;
}

/// First what has equal names, in one order; then what is left of equal names, as branches of a graph may run in
/// another order; then, between ops that were found, what is of equal class. Where the capture does not name kernels:
/// place by place if there are as many of both.
PlacesOfOps pair_up(const GraphSteps& ops, const GraphSteps& calls) {
  PlacesOfOps pairs;
  pairs.call_of.assign(ops.size(), kNone);
  const bool named = std::any_of(calls.begin(), calls.end(), [](const GraphStep& step) {
    return step.name != 0 && step.kind != 1 + static_cast<uint64_t>(KernelClass::copy) &&
           step.kind != 1 + static_cast<uint64_t>(KernelClass::set);
  });
  if (!named) {
    if (ops.size() != calls.size()) return pairs;
    for (uint32_t place = 0; place < ops.size(); ++place) pairs.call_of[place] = place;
    pairs.by_place = ops.size();
    return pairs;
  }
  std::vector<uint32_t> all_ops(ops.size());
  std::vector<uint32_t> all_calls(calls.size());
  for (uint32_t i = 0; i < ops.size(); ++i) all_ops[i] = i;
  for (uint32_t i = 0; i < calls.size(); ++i) all_calls[i] = i;
  std::vector<bool> taken(calls.size());
  const auto take = [&](uint32_t op, uint32_t call, size_t& count) {
    pairs.call_of[op] = call;
    taken[call] = true;
    ++count;
  };
  for (const auto& [op, call] :
       common_subsequence(keys_of(ops, &GraphStep::name, all_ops), keys_of(calls, &GraphStep::name, all_calls))) {
    if (calls[call].name != 0) take(op, call, pairs.by_name);
  }
  std::unordered_map<uint64_t, std::vector<uint32_t>> left;  // calls by name, the first at the back
  for (uint32_t call = static_cast<uint32_t>(calls.size()); call-- > 0;) {
    if (!taken[call] && calls[call].name != 0) left[calls[call].name].push_back(call);
  }
  for (uint32_t op = 0; op < ops.size(); ++op) {
    if (pairs.call_of[op] != kNone) continue;
    const auto found = left.find(ops[op].name);
    if (found == left.end() || found->second.empty()) continue;
    take(op, found->second.back(), pairs.by_name);
    found->second.pop_back();
  }
  std::vector<uint32_t> ops_left;
  std::vector<uint32_t> calls_left;
  for (const uint32_t op : all_ops) {
    if (pairs.call_of[op] == kNone) ops_left.push_back(op);
  }
  for (const uint32_t call : all_calls) {
    if (!taken[call] && calls[call].kind != 0) calls_left.push_back(call);
  }
  for (const auto& [op, call] :
       common_subsequence(keys_of(ops, &GraphStep::kind, ops_left), keys_of(calls, &GraphStep::kind, calls_left))) {
    take(ops_left[op], calls_left[call], pairs.by_class);
  }
  return pairs;
}

std::vector<uint64_t> signature(const GraphSteps& steps) {
  std::vector<uint64_t> names;
  for (const GraphStep& step : steps) names.push_back(step.name);
  return names;
}

/// Finds the capture of each replay: of the captures that most of its ops have a place in, the one behind that of the
/// replay before, the first again behind the last. Graphs are replayed in the order in which they were captured,
/// wherever several are alike.
class CaptureMatching {
 public:
  explicit CaptureMatching(const std::vector<Capture>& captures) : captures_(captures) {
    std::map<std::vector<uint64_t>, uint32_t> kinds;
    for (const Capture& capture : captures_) {
      kind_of_.push_back(
          kinds.try_emplace(signature(capture.steps), static_cast<uint32_t>(kinds.size())).first->second);
    }
    kinds_ = kinds.size();
  }

  struct Found {
    const Capture* capture = nullptr;
    const PlacesOfOps* pairs = nullptr;
  };
  /// None where fewer than half of its ops have a place in any.
  Found of(const Replay& replay) {
    const auto [at, is_new] = best_.try_emplace(signature(replay.steps));
    if (is_new) at->second = best_for(replay.steps);
    if (!at->second) return {};
    const auto& [kind, pairs] = *at->second;
    for (size_t i = 0; i < captures_.size(); ++i) {
      const size_t candidate = (next_ + i) % captures_.size();
      if (kind_of_[candidate] != kind) continue;
      next_ = candidate + 1;
      return {&captures_[candidate], &pairs};
    }
    return {};
  }

 private:
  using Best = std::optional<std::pair<uint32_t, PlacesOfOps>>;

  Best best_for(const GraphSteps& ops) const {
    Best best;
    double most = 0.5;
    for (uint32_t kind = 0; kind < kinds_; ++kind) {
      const auto first = std::find(kind_of_.begin(), kind_of_.end(), kind);
      const GraphSteps& calls = captures_[static_cast<size_t>(first - kind_of_.begin())].steps;
      PlacesOfOps pairs = pair_up(ops, calls);
      // Of a graph that holds all of the ops and more, less is shared than of their own.
      const double shared = static_cast<double>(pairs.all()) / static_cast<double>(std::max(ops.size(), calls.size()));
      if (2 * pairs.all() < ops.size() || (best && shared <= most)) continue;
      most = shared;
      best.emplace(kind, std::move(pairs));
    }
    return best;
  }

  const std::vector<Capture>& captures_;
  std::vector<uint32_t> kind_of_;  // of each capture: equal numbers for equal sequences
  size_t kinds_ = 0;
  std::map<std::vector<uint64_t>, Best> best_;  // by the names of a replay
  size_t next_ = 0;
};

/// What the notes say.
struct Attributed {
  int64_t ops = 0;
  int64_t ns = 0;
  int64_t all_ns = 0;
  int64_t by_class = 0;
  int64_t by_place = 0;
  int64_t not_found = 0;
};

void report(Notes& notes, const Attributed& sums) {
  if (sums.ops > 0) {
    std::string how;
    if (sums.by_class > 0) how += fmt::format(", {} of them by class", sums.by_class);
    if (sums.by_place > 0) how += fmt::format(", {} of them by place", sums.by_place);
    notes.add("captured_ops", sums.ops,
              fmt::format("device ops of graph replays have the op, module and shapes of their capture: {:.2f}% of the "
                          "time of replays{}",
                          100.0 * static_cast<double>(sums.ns) / static_cast<double>(std::max<int64_t>(1, sums.all_ns)),
                          how));
  }
  notes.add("uncaptured_ops", sums.not_found,
            "device ops of graph replays were not found in a capture: they belong to the call that launched the graph");
}

}  // namespace

namespace {

/// By name whether it is that of a call that replays a graph; empty where none is.
std::vector<bool> names_of_replays(const Timeline& timeline) {
  std::vector<bool> is_replay(timeline.names.size());
  bool any = false;
  for (StringId name = 0; name < timeline.names.size(); ++name) {
    is_replay[name] = replays_graph(timeline.names[name]);
    any = any || is_replay[name];
  }
  return any ? is_replay : std::vector<bool>();
}

}  // namespace

bool has_graph_replays(const Run& run) {
  const Timeline& timeline = run.timeline;
  const std::vector<bool> is_replay = names_of_replays(timeline);
  return !is_replay.empty() &&
         std::any_of(timeline.device_ops.slice.begin(), timeline.device_ops.slice.end(), [&](SliceIndex op) {
           const SliceIndex launch = timeline.slices.launch[op];
           return launch != kNone && is_replay[timeline.slices.name[launch]];
         });
}

ReplayCounts count_replays(const Timeline& timeline) {
  const std::vector<bool> is_replay = names_of_replays(timeline);
  if (is_replay.empty() || timeline.device_ops.slice.empty()) return {};
  std::unordered_set<SliceIndex> shown;
  int64_t without_launch = 0;
  for (const SliceIndex op : timeline.device_ops.slice) {
    const SliceIndex call = timeline.slices.launch[op];
    if (call == kNone) {
      ++without_launch;
    } else if (is_replay[timeline.slices.name[call]]) {
      shown.insert(call);
    }
  }
  ReplayCounts counts;
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    if (is_call(timeline.kind(slice)) && is_replay[timeline.slices.name[slice]]) ++counts.all;
  }
  counts.unrecorded = std::max<int64_t>(counts.all - static_cast<int64_t>(shown.size()), 0);
  if (counts.unrecorded <= without_launch) counts.unrecorded = 0;  // these ops may be theirs
  return counts;
}

bool lacks_replays(const ReplayCounts& counts) {
  constexpr double kNoticeable = 0.10;
  return static_cast<double>(counts.unrecorded) > kNoticeable * static_cast<double>(counts.all);
}

void find_captured_work(Run& run, const std::vector<std::shared_ptr<const Run>>& captures,
                        const KernelDictionary& dictionary) {
  StepNumbers numbers(dictionary);
  std::vector<Capture> all;
  for (uint32_t profile = 0; profile < captures.size(); ++profile) {
    const Run& from = captures[profile] ? *captures[profile] : run;
    std::vector<Capture> found = captures_of(from, profile);
    read_steps(from, found, numbers);
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  if (all.empty()) return;
  CaptureMatching matching(all);
  Attributed sums;
  std::vector<CapturedWork> work;
  for (const std::shared_ptr<const Run>& capture : captures) work.push_back({capture, {}});
  uint32_t number = 0;
  for (const Replay& replay : replays_of(run, numbers)) {
    const CaptureMatching::Found found = matching.of(replay);
    if (found.pairs != nullptr) {
      sums.by_class += static_cast<int64_t>(found.pairs->by_class);
      sums.by_place += static_cast<int64_t>(found.pairs->by_place);
    }
    for (size_t i = 0; i < replay.ops.size(); ++i) {
      const int64_t ns = run.timeline.slices.duration[run.timeline.device_ops.slice[replay.ops[i]]];
      sums.all_ns += ns;
      const uint32_t place = found.pairs == nullptr ? kNone : found.pairs->call_of[i];
      if (place == kNone) {
        ++sums.not_found;
        continue;
      }
      ++sums.ops;
      sums.ns += ns;
      work[found.capture->profile].ops.push_back({replay.ops[i], found.capture->calls[place], number});
    }
    ++number;
  }
  std::erase_if(work, [](const CapturedWork& one) { return one.ops.empty(); });
  run.captured = std::move(work);
  report(run.notes, sums);
}

}  // namespace cgpu
