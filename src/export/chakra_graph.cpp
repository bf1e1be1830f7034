#include "export/chakra_graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "dependencies/graph.h"
#include "export/host_parts.h"
#include "export/reduce_dependencies.h"

namespace cgpu {

namespace {

/// What a host thread did by itself, and no Python frame and no wait of the operating system.
bool is_host_op(SliceKind kind) {
  return kind == SliceKind::framework_op || kind == SliceKind::annotation || is_call(kind);
}

/// Rounds times to whole us so that the sums differ by less than 1 us.
class WholeMicroseconds {
 public:
  int64_t take(int64_t ns) {
    sum_ += ns;
    const int64_t until = (sum_ + 500) / 1000;
    return until - std::exchange(taken_, until);
  }

 private:
  int64_t sum_ = 0;
  int64_t taken_ = 0;
};

class ChakraGraphBuilder {
 public:
  ChakraGraphBuilder(const Timeline& timeline, const DependencyGraph& dependencies)
      : t_(timeline),
        moments_(dependencies.moments()),
        dependencies_(dependencies),
        zero_(dependencies.zero(0)),
        node_of_slice_(timeline.slices.size(), kNoNode),
        node_before_(moments_.size(), kNoNode),
        launched_at_(moments_.size(), kNever),
        threads_(timeline.tracks.size()) {}

  ChakraGraph build() {
    add_device_nodes();
    find_launches();
    add_threads();
    for (const auto& [node, moment] : waits_) add_dependency(node, node_at(moment));
    add_device_dependencies();
    put_in_order();
    reduce_dependencies(graph_);
    return std::move(graph_);
  }

 private:
  static constexpr uint32_t kNoNode = ChakraNode::kNoNode;
  /// A part of a host thread that is shorter is added to the next one, unless it is the first of a slice.
  static constexpr int64_t kShortest = 1000;
  static constexpr int64_t kNever = INT64_MAX;

  /// Until nodes are in order. Ordered by `order`: twice the number of the moment at which a device op begins; for a
  /// part of a host thread one more than twice that of the last moment before it, or two more where it waits for that.
  struct Draft {
    ChakraNode node;
    uint64_t order = 0;
  };
  /// Drafts, of which the first one waits for the second.
  using Found = std::pair<uint32_t, uint32_t>;

  int64_t time_of(MomentIndex moment) const { return moments_[moment].time + zero_; }
  bool is_device_op(MomentIndex moment) const {
    const SliceIndex slice = moments_[moment].slice;
    return slice != kNone && node_of_slice_[slice] < device_nodes_;
  }
  template <typename Visit>
  void for_each_edge_to(MomentIndex moment, Visit visit) const {
    for (uint32_t edge = dependencies_.first_edge(moment); edge < dependencies_.end_edge(moment); ++edge) {
      visit(dependencies_.edges()[edge]);
    }
  }

  void add_device_nodes() {
    std::vector<OpIndex> op_of_slice(t_.slices.size(), kNone);
    for_each_device_op(t_, [&](OpIndex op, SliceIndex slice) { op_of_slice[slice] = op; });
    std::vector<WholeMicroseconds> streams(t_.tracks.size() + 1);
    for (MomentIndex moment = 0; moment < moments_.size(); ++moment) {
      const SliceIndex slice = moments_[moment].slice;
      if (moments_[moment].kind != Moment::Kind::begin || slice == kNone || op_of_slice[slice] == kNone) continue;
      node_of_slice_[slice] = static_cast<uint32_t>(drafts_.size());
      Draft& draft = drafts_.emplace_back();
      draft.order = 2 * uint64_t{moment};
      draft.node.slice = slice;
      draft.node.op = op_of_slice[slice];
      draft.node.track = t_.slices.track[slice];
      draft.node.start = t_.slices.start[slice];
      const size_t stream = draft.node.track == kNone ? t_.tracks.size() : draft.node.track;
      draft.node.duration = streams[stream].take(t_.slices.duration[slice]);
    }
    device_nodes_ = static_cast<uint32_t>(drafts_.size());
  }

  /// When that which a call launched began, by the moment at which the call begins.
  void find_launches() {
    for (MomentIndex moment = 0; moment < moments_.size(); ++moment) {
      for_each_edge_to(moment, [&](const Dependency& edge) {
        if (edge.kind == EdgeKind::launch) {
          launched_at_[edge.from] = std::min(launched_at_[edge.from], time_of(moment));
        }
      });
      const SliceIndex slice = moments_[moment].slice;
      if (slice == kNone || is_device_op(moment) || t_.slices.track[slice] == kNone) continue;
      threads_[t_.slices.track[slice]].moments.push_back(moment);
    }
  }

  struct Thread {
    std::vector<MomentIndex> moments;  // in order
    std::vector<SliceIndex> slices;
  };

  void add_threads() {
    for (SliceIndex slice = 0; slice < t_.slices.size(); ++slice) {
      const TrackIndex track = t_.slices.track[slice];
      if (track == kNone || t_.tracks[track].kind != TrackKind::host_thread) continue;
      if (!is_host_op(t_.kind(slice)) || !is_plausible(t_, slice)) continue;
      if (threads_[track].moments.empty())
        ++graph_.left_out;
      else
        threads_[track].slices.push_back(slice);
    }
    for (TrackIndex track = 0; track < threads_.size(); ++track) {
      if (threads_[track].moments.size() > 1) add_thread(track, std::exchange(threads_[track], {}));
    }
  }

  /// By moment of a thread: since when the thread was busy until then, and had not waited.
  std::vector<int64_t> busy_since(const std::vector<MomentIndex>& moments) const {
    std::vector<int64_t> since;
    for (size_t i = 0; i < moments.size(); ++i) {
      const int64_t time = time_of(moments[i]);
      int64_t own = 0;
      for_each_edge_to(moments[i], [&](const Dependency& edge) {
        if (i > 0 && edge.kind == EdgeKind::host && edge.from == moments[i - 1]) own = edge.weight;
      });
      since.push_back(i == 0 ? time : std::max(time - own, time_of(moments[i - 1])));
    }
    return since;
  }

  void add_thread(TrackIndex track, Thread thread) {
    const std::vector<MomentIndex>& moments = thread.moments;
    const std::vector<int64_t> since = busy_since(moments);
    std::vector<int64_t> times;
    std::vector<int64_t> cuts;
    for (size_t i = 0; i < moments.size(); ++i) {
      times.push_back(time_of(moments[i]));
      cuts.push_back(times[i]);
      if (i == 0 || launched_at_[moments[i - 1]] == kNever) continue;
      // What a call launched began before the call ended, or the call waits for it: the rest of it is a part of its
      // own.
      const int64_t launched_at = launched_at_[moments[i - 1]];
      if (launched_at < t_.slices.end(moments_[moments[i - 1]].slice)) cuts.push_back(launched_at);
      if (since[i] > times[i - 1]) cuts.push_back(since[i]);
    }
    std::sort(cuts.begin(), cuts.end());
    std::vector<MomentIndex> awaited;  // that no node waits for yet
    uint64_t order = 0;                // of the node before
    uint32_t last = kNoNode;           // the node before
    size_t interval = 0;               // the first moment behind the part
    size_t begun = 0;                  // moments whose other dependencies are in awaited, or were
    int64_t busy = 0;                  // of parts that are not in a node yet
    WholeMicroseconds rounded;
    for (const HostPart& part : host_parts(t_, std::move(thread.slices), cuts, times.front(), times.back())) {
      for (; interval < moments.size() && times[interval] <= part.begin; ++interval)
        node_before_[moments[interval]] = last;
      for (; begun < moments.size() && (since[begun] < part.end || since[begun] <= part.begin); ++begun) {
        for (const MomentIndex moment : awaited_by(moments[begun])) {
          awaited.push_back(moment);
          order = std::max(order, 2 * uint64_t{moment} + 2);
        }
      }
      const bool waits = interval == moments.size() || since[interval] >= part.end;  // all the time
      const int64_t from = waits ? part.begin : std::max(part.begin, since[interval]);
      if (!waits) busy += part.end - from;
      if (!part.first && busy < kShortest) continue;
      const uint32_t node = static_cast<uint32_t>(drafts_.size());
      if (part.first) node_of_slice_[part.slice] = node;
      Draft& draft = drafts_.emplace_back();
      draft.node.slice = part.slice;
      draft.node.track = track;
      draft.node.continues = !part.first && part.slice != kNone;
      const SliceIndex caller = part.first ? part.caller : part.slice;
      if (caller != kNone) draft.node.caller = node_of_slice_[caller];
      draft.node.start = from;
      draft.node.duration = rounded.take(std::exchange(busy, 0));
      order = std::max(order, 2 * uint64_t{last_before(from, interval == 0 ? 0 : moments[interval - 1])} + 1);
      draft.order = order;
      add_dependency(node, last);
      for (const MomentIndex moment : awaited) waits_.emplace_back(node, moment);
      awaited.clear();
      last = node;
    }
    for (; interval < moments.size(); ++interval) node_before_[moments[interval]] = last;
  }

  /// The last moment before a time, or `least` if that is later.
  MomentIndex last_before(int64_t time, MomentIndex least) const {
    return std::max(least, dependencies_.last_until(time - zero_ - 1));
  }

  /// What a moment of a thread has to wait for besides the thread itself.
  std::vector<MomentIndex> awaited_by(MomentIndex moment) const {
    std::vector<MomentIndex> awaited;
    for_each_edge_to(moment, [&](const Dependency& edge) {
      if (edge.kind != EdgeKind::host && edge.kind != EdgeKind::start) awaited.push_back(edge.from);
    });
    return awaited;
  }

  /// The node that has ended at a moment of the dependency graph; kNoNode for none. Needs the nodes of all threads.
  uint32_t node_at(MomentIndex moment) const {
    const SliceIndex slice = moments_[moment].slice;
    if (slice == kNone) return kNoNode;
    if (moments_[moment].kind == Moment::Kind::begin || is_device_op(moment)) {
      if (node_of_slice_[slice] != kNoNode) return node_of_slice_[slice];
    }
    return node_before_[moment];
  }

  void add_dependency(uint32_t node, uint32_t on) {
    if (on != kNoNode) found_.emplace_back(node, on);
  }

  void add_device_dependencies() {
    std::vector<std::pair<size_t, size_t>> of_node(device_nodes_);  // begin and end in found_
    for (uint32_t node = 0; node < device_nodes_; ++node) {
      const size_t begin = found_.size();
      for_each_edge_to(static_cast<MomentIndex>(drafts_[node].order / 2), [&](const Dependency& edge) {
        const uint32_t on = edge.kind == EdgeKind::start ? kNoNode : node_at(edge.from);
        if (on == kNoNode) return;
        if (edge.kind == EdgeKind::launch) drafts_[node].node.caller = on;
        if (!begins_nearer_to_begin(node, edge.from)) return add_dependency(node, on);
        // The two run beside each other: this one waits for the device ops that the other one waits for.
        for (size_t i = of_node[on].first; i < of_node[on].second; ++i) {
          if (found_[i].second < device_nodes_) add_dependency(node, uint32_t{found_[i].second});
        }
      });
      of_node[node] = {begin, found_.size()};
    }
  }

  /// Of two ops of a stream that overlap, whether the second began nearer to the begin of the first than to its end.
  bool begins_nearer_to_begin(uint32_t op, MomentIndex other) const {
    if (!is_device_op(other) || moments_[other].kind != Moment::Kind::begin) return false;
    const SliceIndex first = moments_[other].slice;
    const int64_t begin = drafts_[op].node.start;
    return begin - t_.slices.start[first] < t_.slices.end(first) - begin;
  }

  void put_in_order() {
    std::vector<uint32_t> sorted(drafts_.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](uint32_t a, uint32_t b) { return drafts_[a].order < drafts_[b].order; });
    std::vector<uint32_t> place(drafts_.size());
    for (uint32_t i = 0; i < sorted.size(); ++i) place[sorted[i]] = i;
    for (Found& found : found_) found = {place[found.first], place[found.second]};
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    auto next = found_.begin();
    graph_.nodes.reserve(sorted.size());
    for (uint32_t i = 0; i < sorted.size(); ++i) {
      ChakraNode& node = graph_.nodes.emplace_back(drafts_[sorted[i]].node);
      if (node.caller != kNoNode) node.caller = place[node.caller] < i ? place[node.caller] : kNoNode;
      for (; next != found_.end() && next->first == i; ++next) {
        if (next->second < i)
          graph_.dependencies.push_back(next->second);
        else
          ++graph_.contradictions;
      }
      node.end_dependency = static_cast<uint32_t>(graph_.dependencies.size());
    }
    graph_.contradictions += dependencies_.contradictions();
  }

  const Timeline& t_;
  const std::span<const Moment> moments_;
  const DependencyGraph& dependencies_;
  const int64_t zero_;
  std::vector<Draft> drafts_;  // device ops first
  uint32_t device_nodes_ = 0;
  std::vector<Found> found_;
  std::vector<std::pair<uint32_t, MomentIndex>> waits_;  // drafts of threads, and moments that they wait for
  std::vector<uint32_t> node_of_slice_;                  // the first
  std::vector<uint32_t> node_before_;                    // by moment of a thread: the last node of the thread before it
  std::vector<int64_t> launched_at_;                     // by moment
  std::vector<Thread> threads_;                          // by track
  ChakraGraph graph_;
};

}  // namespace

ChakraGraph chakra_graph(const Run& run, const Waits& waits, std::vector<SliceIndex> marks) {
  const RunForGraph one{&run, &waits, std::move(marks)};
  const DependencyGraph dependencies(std::span(&one, 1), {}, false);
  return ChakraGraphBuilder(run.timeline, dependencies).build();
}

}  // namespace cgpu
