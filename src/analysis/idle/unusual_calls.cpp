#include "analysis/idle/unusual_calls.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

#include "analysis/common/asked_names.h"
#include "analysis/host/launch_calls.h"
#include "analysis/idle/usual_durations.h"
#include "links/awaited_copies.h"

namespace cgpu {

namespace {

/// What takes less needs no explanation.
constexpr int64_t kShortest = 50'000;
/// A first launch that takes so many times the usual has loaded something.
constexpr int64_t kLoads = 10;
/// Of a program that launches each kernel once the usual launch loads. A call that does not load never takes so long.
constexpr int64_t kLongestUsual = 100'000;

class LongCalls {
 public:
  LongCalls(const Timeline& timeline, const std::vector<SliceIndex>& calls, const IntervalSet& overhead)
      : timeline_(timeline) {
    const Slices& slices = timeline.slices;
    std::vector<SliceIndex> long_ones;
    for (const SliceIndex call : calls) {
      if (slices.duration[call] >= kShortest) long_ones.push_back(call);
    }
    const auto usual = usual_durations(timeline, calls, long_ones);
    for (const SliceIndex call : long_ones) {
      const UsualDuration& of_name = usual.at(slices.name[call]);
      const int64_t loads = kLoads * std::min(of_name.duration, kLongestUsual);
      const int64_t not_running = of_name.not_running();
      if (slices.duration[call] < std::min(loads, not_running)) continue;
      const int64_t own = slices.duration[call] - overhead.clip(slices.start[call], slices.end(call)).length();
      if (own < kShortest) continue;
      if (own >= loads) may_load_.push_back(call);
      if (own >= not_running) may_not_run_.push_back(call);
    }
    std::unordered_map<std::string, uint32_t> processes;
    for (const Track& track : timeline.tracks) {
      const auto next = static_cast<uint32_t>(processes.size());
      process_.push_back(processes.try_emplace(track.process, next).first->second);
    }
  }

  /// Those that launched a kernel, but no graph, for the first time in their process.
  std::vector<SliceIndex> loading() const {
    std::vector<SliceIndex> found;
    if (may_load_.empty()) return found;
    const Slices& slices = timeline_.slices;
    std::vector<bool> wanted(timeline_.names.size());
    for_each_kernel([&](SliceIndex slice, SliceIndex call) {
      if (std::binary_search(may_load_.begin(), may_load_.end(), call)) wanted[slices.name[slice]] = true;
    });
    std::unordered_map<uint64_t, SliceIndex> first;  // launch, by process and kernel
    for_each_kernel([&](SliceIndex slice, SliceIndex call) {
      if (!wanted[slices.name[slice]]) return;
      const uint64_t key = uint64_t{process_[slices.track[call]]} << 32 | slices.name[slice];
      const auto [at, is_new] = first.try_emplace(key, call);
      if (!is_new && earlier(call, at->second)) at->second = call;
    });
    for (const auto& [key, call] : first) {
      if (std::binary_search(may_load_.begin(), may_load_.end(), call) && !is_graph(call)) found.push_back(call);
    }
    return found;
  }

  /// Those that are not the first of their name in their process, launched no copy, and in which nothing is recorded
  /// but calls that name no cause themselves.
  std::vector<SliceIndex> not_running(const std::vector<SliceIndex>& calls) const {
    if (may_not_run_.empty()) return {};
    std::vector<SliceIndex> found = may_not_run_;
    erase_first_of_names(timeline_, calls, found);
    const Slices& slices = timeline_.slices;
    std::vector<bool> explained(slices.size());
    for_each_device_op(timeline_, [&](OpIndex, SliceIndex slice) {
      if (timeline_.kind(slice) != SliceKind::memcpy) return;
      const SliceIndex call = launch_of(timeline_, slice);
      if (call != kNone) explained[call] = true;
    });
    AskedNames names_cause(timeline_, [&](SliceIndex call) {
      return cause_named_by(timeline_.kind(call), timeline_.name(call)).has_value();
    });
    for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
      SliceIndex above = slices.parent[slice];
      if (above == kNone || !is_call(timeline_.kind(above))) continue;
      if (is_call(timeline_.kind(slice)) && !names_cause(slice)) continue;
      for (; above != kNone && is_call(timeline_.kind(above)); above = slices.parent[above]) explained[above] = true;
    }
    std::erase_if(found, [&](SliceIndex call) { return explained[call]; });
    return found;
  }

 private:
  /// Calls visit(slice, launch) for the kernels whose launch is known.
  template <typename Visit>
  void for_each_kernel(Visit visit) const {
    for_each_device_op(timeline_, [&](OpIndex, SliceIndex slice) {
      if (!is_kernel(timeline_.kind(slice))) return;
      const SliceIndex call = launch_of(timeline_, slice);
      if (call != kNone) visit(slice, call);
    });
  }
  bool earlier(SliceIndex a, SliceIndex b) const {
    const Slices& slices = timeline_.slices;
    return std::tuple(slices.start[a], a) < std::tuple(slices.start[b], b);
  }
  bool is_graph(SliceIndex call) const { return timeline_.name(call).find("Graph") != std::string_view::npos; }

  const Timeline& timeline_;
  std::vector<SliceIndex> may_load_;
  std::vector<SliceIndex> may_not_run_;
  std::vector<uint32_t> process_;  // number, by track
};

/// Calls that were still at work when the copy ran that they launched, and for which they wait.
std::vector<SliceIndex> holding_copies(const Timeline& timeline) {
  const Slices& slices = timeline.slices;
  std::vector<SliceIndex> found;
  for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
    if (timeline.device_ops.kind[op] != OpKind::memory) return;
    const SliceIndex call = launch_of(timeline, slice);
    if (waits_for_own_copy(timeline, op, call) && slices.start[slice] < slices.end(call)) found.push_back(call);
  });
  return found;
}

}  // namespace

std::map<SliceIndex, IdleCause> unusual_calls(const Timeline& timeline, const std::vector<SliceIndex>& calls,
                                              const IntervalSet& overhead) {
  std::map<SliceIndex, IdleCause> found;
  for (const SliceIndex call : holding_copies(timeline)) {
    if (std::binary_search(calls.begin(), calls.end(), call)) found.try_emplace(call, IdleCause::blocking_copy);
  }
  const LongCalls long_calls(timeline, calls, overhead);
  for (const SliceIndex call : long_calls.loading()) found.try_emplace(call, IdleCause::module_load);
  for (const SliceIndex call : long_calls.not_running(calls)) found.try_emplace(call, IdleCause::not_scheduled);
  return found;
}

}  // namespace cgpu
