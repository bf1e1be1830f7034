#include "analysis/idle/sampled_host.h"

#include <map>
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

}  // namespace

SampledHost::SampledHost(const Timeline& timeline, const CallTree* tree)
    : timeline_(timeline), pieces_(timeline.tracks.size()) {
  if (!has_samples(timeline)) return;
  const Slices& slices = timeline.slices;
  std::map<TrackIndex, std::vector<SliceIndex>> samples;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (timeline.kind(slice) == SliceKind::other && is_sample(timeline, slice) && is_plausible(timeline, slice)) {
      samples[slices.track[slice]].push_back(slice);
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
  for (auto& [track, own] : samples) {
    const int64_t most = sample_length(timeline, own).most;
    std::stable_sort(own.begin(), own.end(),
                     [&](SliceIndex a, SliceIndex b) { return slices.start[a] < slices.start[b]; });
    for (const SliceIndex sample : own) {
      std::vector<Piece>& pieces = pieces_[track];
      Interval time{slices.start[sample], slices.start[sample] + std::min(slices.duration[sample], most)};
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
