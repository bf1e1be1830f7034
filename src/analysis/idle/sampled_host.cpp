#include "analysis/idle/sampled_host.h"

#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>

#include "analysis/common/samples.h"
#include "model/plausible.h"

namespace cgpu {

namespace {

/// The cause that a function names: one of the GPU's runtime, or of the C library.
std::optional<IdleCause> cause_of_function(std::string_view function) {
  if (const auto cause = cause_named_by(SliceKind::runtime_call, function)) return cause;
  return cause_named_by(SliceKind::os_call, called_name(function));
}

/// Of a call path the innermost function that names a cause. A lock or input says how one waits: a caller may say for
/// what.
IdleCause cause_of_path(const CallTree& tree, NodeIndex node) {
  std::optional<IdleCause> way;
  for (; node != kNoNode; node = tree.nodes.parent[node]) {
    if (tree.nodes.kind[node] != NodeKind::function) continue;
    const auto cause = cause_of_function(tree.names[tree.nodes.name[node]]);
    if (!cause) continue;
    if (!is_way_of_waiting(*cause)) return *cause;
    if (!way) way = cause;
  }
  return way.value_or(IdleCause::host_code);
}

/// The samples of one thread, in order, and for each the last moment up to it at which a call of the thread began or
/// ended; INT64_MIN where there is none, or where the thread's calls are not known.
struct SamplesOfThread {
  std::vector<SliceIndex> samples;
  std::vector<int64_t> border;
};

/// Fills `border`. `of_thread`: by track of the thread, null where it is not sampled from beside. O(slices log
/// samples).
void find_borders(const Timeline& timeline, const std::vector<SamplesOfThread*>& of_thread) {
  const Slices& slices = timeline.slices;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    SamplesOfThread* const of = of_thread[slices.track[slice]];
    if (of == nullptr || !is_plausible(timeline, slice)) continue;
    for (const int64_t border : {slices.start[slice], slices.end(slice)}) {
      const auto next = std::ranges::lower_bound(of->samples, border, {}, [&](SliceIndex s) { return slices.end(s); });
      if (next == of->samples.end()) continue;
      int64_t& last = of->border[static_cast<size_t>(next - of->samples.begin())];
      last = std::max(last, border);
    }
  }
  for (SamplesOfThread* const of : of_thread) {
    for (size_t i = 1; of != nullptr && i < of->border.size(); ++i) {
      of->border[i] = std::max(of->border[i], of->border[i - 1]);
    }
  }
}

}  // namespace

SampledHost::SampledHost(const Timeline& timeline, const CallTree* tree)
    : timeline_(timeline), pieces_(timeline.tracks.size()), samples_of_(timeline.tracks.size()) {
  std::iota(samples_of_.begin(), samples_of_.end(), TrackIndex{0});
  if (!has_samples(timeline)) return;
  const Slices& slices = timeline.slices;
  std::map<TrackIndex, SamplesOfThread> samples;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (timeline.kind(slice) == SliceKind::other && is_sample(timeline, slice) && is_plausible(timeline, slice)) {
      samples[slices.track[slice]].samples.push_back(slice);
    }
  }
  std::map<NodeIndex, IdleCause> of_node;
  std::map<StringId, IdleCause> of_name;
  const auto cause_of = [&](SliceIndex sample) {
    const NodeIndex node = tree == nullptr || !tree->sampled_nodes || slices.source[sample] == kNoSource
                               ? kNoNode
                               : tree->sampled_nodes->node_of(slices.source[sample]);
    if (node != kNoNode) {
      const auto [at, is_new] = of_node.try_emplace(node, IdleCause::host_code);
      if (is_new) at->second = cause_of_path(*tree, node);
      return at->second;
    }
    const auto [at, is_new] = of_name.try_emplace(slices.name[sample], IdleCause::host_code);
    if (is_new) at->second = cause_of_function(timeline.name(sample)).value_or(IdleCause::host_code);
    return at->second;
  };
  const std::vector<TrackIndex> thread_beside = threads_beside(timeline);
  std::vector<SamplesOfThread*> of_thread(timeline.tracks.size());
  for (auto& [track, own] : samples) {
    const bool is_beside = thread_beside[track] != track;
    std::ranges::stable_sort(own.samples, {},
                             [&](SliceIndex sample) { return is_beside ? slices.end(sample) : slices.start[sample]; });
    own.border.assign(own.samples.size(), INT64_MIN);
    if (!is_beside) continue;
    samples_of_[thread_beside[track]] = track;
    of_thread[thread_beside[track]] = &own;
  }
  find_borders(timeline, of_thread);
  for (const auto& [track, own] : samples) {
    const bool is_beside = thread_beside[track] != track;
    const int64_t most = is_beside ? INT64_MAX : sample_length(timeline, own.samples).most;
    std::vector<Piece>& pieces = pieces_[track];
    for (size_t i = 0; i < own.samples.size(); ++i) {
      const SliceIndex sample = own.samples[i];
      Interval time{slices.start[sample], slices.start[sample] + std::min(slices.duration[sample], most)};
      time.begin = std::max(time.begin, own.border[i]);
      if (!pieces.empty()) time.begin = std::max(time.begin, pieces.back().time.end);
      if (time.begin < time.end) pieces.push_back({time, cause_of(sample), sample});
    }
  }
}

TrackIndex SampledHost::thread_of(TrackIndex stream) const {
  for (TrackIndex track = 0; track < pieces_.size(); ++track) {
    if (!pieces_[track].empty() && timeline_.tracks[track].process == timeline_.tracks[stream].process) return track;
  }
  return kNone;
}

}  // namespace cgpu
