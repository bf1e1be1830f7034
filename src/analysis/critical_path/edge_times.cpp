#include "analysis/critical_path/edge_times.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/critical_path/small_copies.h"

namespace cgpu {

bool is_over(EdgeKind edge, const BoundKinds& removed) {
  switch (edge) {
    case EdgeKind::wait:
      return removed[BoundBy(IdleCause::synchronization).number()];
    case EdgeKind::copy_wait:
      return removed[BoundBy(IdleCause::blocking_copy).number()];
    case EdgeKind::release:
      return removed[BoundBy(IdleCause::allocation).number()];
    case EdgeKind::collective:
      return removed[BoundBy(IdleCause::other_rank).number()];
    default:
      return false;
  }
}

namespace {

/// What takes less did not wait: what it asked for had come before.
constexpr int64_t kShortestWait = 50'000;

/// Stretches of host code, thread by thread, in the order in which the graph has their parts.
class HostStretches {
 public:
  /// `mark(place)` is called for each part of a stretch of `long_stretch` ns or more.
  HostStretches(double long_stretch, std::function<void(size_t place)> mark)
      : long_stretch_(long_stretch), mark_(std::move(mark)) {}

  /// The next edge of a thread leads from one moment to another. Where the last one led elsewhere, its stretch is over.
  /// `from_op`, `to_op`: the device op, if a moment is of one: pages that a thread touches move in the midst of its
  /// code.
  void begin_edge(size_t run, TrackIndex thread, MomentIndex from, SliceIndex from_op, MomentIndex to,
                  SliceIndex to_op) {
    open_ = &of_threads_[{run, thread}];
    if (open_->at != from && (from_op == kNone || open_->op != from_op)) end();
    open_->at = to;
    open_->op = to_op;
  }
  /// A part of host code that begins in this edge, or goes on in it.
  void add(size_t place, int64_t length) {
    open_->length += length;
    open_->places.push_back(place);
  }
  /// Neither host code nor what may lie in the midst of it.
  void end() { close(*open_); }
  void end_all() {
    for (auto& [thread, stretch] : of_threads_) close(stretch);
  }

 private:
  struct Stretch {
    MomentIndex at = 0;     // the moment that it has come to
    SliceIndex op = kNone;  // the device op that this is of
    int64_t length = 0;
    std::vector<size_t> places;
  };
  void close(Stretch& stretch) {
    if (static_cast<double>(stretch.length) >= long_stretch_) {
      for (const size_t place : stretch.places) mark_(place);
    }
    stretch.length = 0;
    stretch.places.clear();
  }

  double long_stretch_;
  std::function<void(size_t place)> mark_;
  std::map<std::pair<size_t, TrackIndex>, Stretch> of_threads_;
  Stretch* open_ = nullptr;
};

}  // namespace

EdgeTimes::EdgeTimes(const SessionFacts& whole, const Limits& limits) : graph_(whole.dependencies()) {
  EdgeParts parts(whole);
  const SmallCopies small_copies = find_small_copies(whole, limits.small_copy, limits.many_copies);
  const auto& of_copies = small_copies.times;
  const size_t edges = graph_.edges().size();
  kinds_.assign(edges, 0);
  // Places of parts: below the number of edges that of an edge of one kind, from there on that of one of several.
  HostStretches stretches(limits.long_stretch, [&](size_t place) {
    if (place < edges) {
      kinds_[place] = kLongHostCode;
    } else {
      uint8_t& kind = part_kinds_[place - edges];
      kind = static_cast<uint8_t>(kLongHostCode | (kind & kLast));
    }
  });
  const uint8_t host_code = static_cast<uint8_t>(BoundBy(IdleCause::host_code).number());
  const uint8_t launching = static_cast<uint8_t>(BoundBy(IdleCause::launch_overhead).number());
  const uint8_t io = static_cast<uint8_t>(BoundBy(IdleCause::io).number());
  const uint8_t lock = static_cast<uint8_t>(BoundBy(IdleCause::lock).number());
  const uint8_t no_work = static_cast<uint8_t>(BoundBy(IdleCause::no_work).number());
  struct Part {
    uint8_t kind;
    int64_t length;
  };
  const size_t gap = BoundBy(BoundBy::kernel_gap).number();
  const auto gap_before = [&](const Moment& op) {
    const std::vector<bool>& small = small_copies.ops[op.run];
    return op.kind == Moment::Kind::begin && op.slice < small.size() && small[op.slice] ? kGapOfSmallCopies : gap;
  };
  std::vector<Part> of_edge;
  const auto add = [&](size_t kind, int64_t length) {
    if (length == 0) return;
    if (!of_edge.empty() && of_edge.back().kind == kind) {
      of_edge.back().length += length;
    } else {
      of_edge.push_back({static_cast<uint8_t>(kind), length});
    }
  };
  const auto add_host_time = [&](const EdgePart& part) {
    const size_t kind = part.bound_by.number();
    const auto of_thread = of_copies[part.run].find(part.thread);
    int64_t now = part.time.begin;
    if (of_thread != of_copies[part.run].end() && (kind == host_code || kind == launching)) {
      const IntervalSet of_part = of_thread->second.clip(part.time.begin, part.time.end);
      for (const Interval& small : of_part.intervals()) {
        const int64_t length = small.end - small.begin;
        if (kind == host_code && static_cast<double>(length) >= limits.long_stretch) continue;  // a stall of its own
        add(kind, small.begin - now);
        add(kOfSmallCopies, length);
        now = small.end;
      }
    }
    add(kind, part.time.end - now);
  };
  for (MomentIndex to = 0; to < graph_.moments().size(); ++to) {
    for (uint32_t edge = graph_.first_edge(to); edge < graph_.end_edge(to); ++edge) {
      of_edge.clear();
      TrackIndex thread = kNone;
      parts.for_each(edge, to, [&](const EdgePart& part) {
        if (part.thread == kNone) {
          const size_t kind = part.bound_by.number();
          return add(kind == gap ? gap_before(graph_.moments()[to]) : kind, part.length);
        }
        thread = part.thread;
        add_host_time(part);
      });
      size_t place = edge;
      if (of_edge.size() > 1) {
        kinds_[edge] = kSeveral;
        place = edges + part_kinds_.size();
        for (const Part& part : of_edge) {
          part_kinds_.push_back(part.kind);
          part_lengths_.push_back(part.length);
        }
        part_kinds_.back() |= kLast;
      } else if (!of_edge.empty()) {
        kinds_[edge] = of_edge.front().kind;
      }
      if (thread == kNone) continue;
      int64_t rest = 0;
      for (size_t i = of_edge.size(); i-- > 0; rest += of_edge[i].length) {
        const uint8_t kind = of_edge[i].kind;
        if (of_edge[i].length < kShortestWait || (kind != io && kind != lock && kind != no_work)) continue;
        const bool is_last = i + 1 == of_edge.size();
        arrivals_.push_back({to, kind, graph_.moments()[to].time - rest, is_last ? 0 : place + i + 1 - edges, is_last});
      }
      const MomentIndex from = graph_.edges().from[edge];
      const size_t run = graph_.moments()[to].run;
      const auto op_of = [&](MomentIndex moment) {
        const SliceIndex slice = graph_.moments()[moment].slice;
        return slice != kNone && is_device_op(whole.run(run).timeline.kind(slice)) ? slice : kNone;
      };
      stretches.begin_edge(run, thread, from, op_of(from), to, op_of(to));
      for (size_t i = 0; i < of_edge.size(); ++i) {
        const uint8_t kind = of_edge[i].kind;
        if (kind == host_code) {
          stretches.add(place + i, of_edge[i].length);
        } else if (kind != io && kind != lock) {
          stretches.end();
        }
      }
    }
  }
  stretches.end_all();
}

EdgeTimes::Totals EdgeTimes::totals() const {
  Totals totals{};
  for (uint32_t edge = 0; edge < kinds_.size(); ++edge) {
    if (kinds_[edge] != kSeveral) totals[kinds_[edge]] += graph_.edges()[edge].weight;
  }
  for (size_t part = 0; part < part_kinds_.size(); ++part) totals[part_kinds_[part] & ~kLast] += part_lengths_[part];
  return totals;
}

std::vector<int64_t> EdgeTimes::replayed(const Scenario& asked, const Fixed& fixed) const {
  Scenario scenario = asked;
  const bool is_host_gone = asked.removed[BoundBy(IdleCause::host_code).number()] &&
                            asked.removed[BoundBy(IdleCause::launch_overhead).number()];
  if (asked.removed[kOfSmallCopies] || asked.removed[BoundBy(BoundBy::kernel_gap).number()]) {
    scenario.removed.set(kGapOfSmallCopies);
  }
  if (is_host_gone) scenario.removed.set(kOfSmallCopies);
  if (asked.removed[kTimeOfCopyCalls]) scenario.removed.set(BoundBy(IdleCause::blocking_copy).number());
  const auto moments = graph_.moments();
  auto arrival = arrivals_.begin();
  const auto earliest = [&](MomentIndex to) {
    int64_t time = fixed.until.empty() ? 0 : std::min(moments[to].time, fixed.until[moments[to].run]);
    for (; arrival != arrivals_.end() && arrival->to == to; ++arrival) {
      if (!fixed.arrivals[arrival->kind] || scenario.removed[arrival->kind]) continue;
      int64_t after = arrival->time;
      bool more = !arrival->is_last;
      for (size_t next = arrival->next_part; more; ++next) {
        more = (part_kinds_[next] & kLast) == 0;
        if (!scenario.removed[part_kinds_[next] & ~kLast]) after += part_lengths_[next];
      }
      time = std::max(time, after);
    }
    return time;
  };
  const size_t gap = BoundBy(BoundBy::kernel_gap).number();
  size_t part = 0;
  const auto weight_of = [&](uint32_t edge, MomentIndex to) -> int64_t {
    int64_t removed = 0;
    for (bool more = kinds_[edge] == kSeveral; more; ++part) {
      more = (part_kinds_[part] & kLast) == 0;
      if (scenario.removed[part_kinds_[part] & ~kLast]) removed += part_lengths_[part];
    }
    const Dependency dependency = graph_.edges()[edge];
    const bool excused =
        dependency.kind == EdgeKind::arrival && scenario.not_awaited.contains(moments[dependency.from].run);
    if (excused || is_over(dependency.kind, asked.removed)) return kNoEdge;
    if (kinds_[edge] != kSeveral && scenario.removed[kinds_[edge]]) return int64_t{0};
    const bool is_gap = kinds_[edge] == gap || kinds_[edge] == kGapOfSmallCopies;
    if (is_gap && scenario.without_gap && scenario.without_gap(moments[to].run, moments[to].slice)) {
      return int64_t{0};
    }
    if (scenario.op_factor && (dependency.kind == EdgeKind::work || dependency.kind == EdgeKind::collective)) {
      // Of a collective the op ends with the edge, since it begins with the last member.
      const Moment& of_op = moments[dependency.kind == EdgeKind::work ? dependency.from : to];
      const double factor = scenario.op_factor(of_op.run, of_op.slice);
      return static_cast<int64_t>(std::llround(static_cast<double>(dependency.weight) * factor)) - removed;
    }
    return dependency.weight - removed;
  };
  return replayed_times(graph_, weight_of, earliest);
}

}  // namespace cgpu
