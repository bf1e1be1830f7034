#include "analysis/idle/sampled_host.h"

#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

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

/// Tracks of host threads by the tracks beside them that hold their samples.
std::map<TrackIndex, TrackIndex> threads_by_samples(const Timeline& timeline,
                                                    const std::map<TrackIndex, std::vector<SliceIndex>>& samples) {
  using Names = std::pair<std::string_view, std::string_view>;  // process, thread
  std::map<Names, TrackIndex> threads;
  for (TrackIndex track = 0; track < timeline.tracks.size(); ++track) {
    const Track& of = timeline.tracks[track];
    if (of.kind == TrackKind::host_thread) threads.emplace(Names(of.process, of.thread), track);
  }
  std::map<TrackIndex, TrackIndex> found;
  for (const auto& [track, slices] : samples) {
    if (timeline.tracks[track].kind != TrackKind::other) continue;
    const auto thread = threads.find(Names(timeline.tracks[track].process, timeline.tracks[track].thread));
    if (thread != threads.end()) found.emplace(track, thread->second);
  }
  return found;
}

/// When slices begin or end on each of these threads, in order.
std::map<TrackIndex, std::vector<int64_t>> borders_of(const Timeline& timeline,
                                                      const std::map<TrackIndex, TrackIndex>& threads) {
  std::map<TrackIndex, std::vector<int64_t>> borders;
  for (const auto& [samples, thread] : threads) borders[thread];
  for (SliceIndex slice = 0; slice < timeline.slices.size() && !borders.empty(); ++slice) {
    const auto thread = borders.find(timeline.slices.track[slice]);
    if (thread == borders.end() || !is_plausible(timeline, slice)) continue;
    thread->second.push_back(timeline.slices.start[slice]);
    thread->second.push_back(timeline.slices.end(slice));
  }
  for (auto& [thread, times] : borders) std::ranges::sort(times);
  return borders;
}

}  // namespace

SampledHost::SampledHost(const Timeline& timeline, const CallTree* tree)
    : timeline_(timeline), pieces_(timeline.tracks.size()), samples_of_(timeline.tracks.size()) {
  std::iota(samples_of_.begin(), samples_of_.end(), TrackIndex{0});
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
  const std::map<TrackIndex, TrackIndex> threads = threads_by_samples(timeline, samples);
  const std::map<TrackIndex, std::vector<int64_t>> borders = borders_of(timeline, threads);
  for (auto& [track, own] : samples) {
    const auto thread = threads.find(track);
    const std::vector<int64_t>* calls = nullptr;  // when they begin and end
    if (thread != threads.end()) {
      samples_of_[thread->second] = track;
      calls = &borders.at(thread->second);
    }
    const int64_t most = sample_length(timeline, own).most;
    std::stable_sort(own.begin(), own.end(),
                     [&](SliceIndex a, SliceIndex b) { return slices.start[a] < slices.start[b]; });
    for (const SliceIndex sample : own) {
      std::vector<Piece>& pieces = pieces_[track];
      Interval time{slices.start[sample], slices.start[sample] + std::min(slices.duration[sample], most)};
      if (!pieces.empty()) time.begin = std::max(time.begin, pieces.back().time.end);
      if (calls != nullptr) {
        const auto later = std::ranges::upper_bound(*calls, time.end);
        if (later != calls->begin()) time.begin = std::max(time.begin, *std::prev(later));
      }
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
