#include "comparison/sides/host_work.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/string_pool.h"
#include "kernels/dictionary.h"
#include "links/nesting.h"
#include "model/plausible.h"

namespace cgpu {

namespace {

/// A time in which a thread is in an op and in none inside of it.
struct Piece {
  SliceIndex op = kNone;
  Interval time;
};

/// The pieces of one thread, whose ops come outer ones first; of ops that overlap without nesting, a time belongs to
/// the one that began last.
void append_pieces(const Slices& slices, const std::vector<SliceIndex>& outer_first, std::vector<Piece>& pieces) {
  std::vector<SliceIndex> open;
  int64_t now = INT64_MIN;
  const auto run_until = [&](int64_t time) {
    while (!open.empty() && now < time) {
      const SliceIndex op = open.back();
      const int64_t until = std::min(time, slices.end(op));
      if (now < until) pieces.push_back({op, {now, until}});
      now = std::max(now, until);
      if (slices.end(op) <= now) open.pop_back();
    }
    now = time;
  };
  for (const SliceIndex op : outer_first) {
    run_until(slices.start[op]);
    open.push_back(op);
  }
  run_until(INT64_MAX);
}

/// By op, those of one op in order of time.
std::vector<Piece> find_pieces(const Timeline& timeline, HostUnit unit) {
  std::vector<Piece> pieces;
  std::vector<SliceIndex> ops;
  for_each_thread_outer_first(timeline, [&](std::span<const SliceIndex> thread) {
    ops.clear();
    for (const SliceIndex slice : thread) {
      if (is_unit(unit, timeline.kind(slice)) && is_plausible(timeline, slice)) ops.push_back(slice);
    }
    append_pieces(timeline.slices, ops, pieces);
  });
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.op < b.op; });
  return pieces;
}

void copy_timeline(const Timeline& from, Timeline& to) {
  std::vector<StringId> name;
  for (StringId id = 0; id < from.names.size(); ++id) name.push_back(to.names.intern(from.names[id]));
  to.categories = from.categories;
  to.tracks = from.tracks;
  to.slices = from.slices;
  to.slices.name.replace_each([&](StringId id) { return name[id]; });
  to.links = from.links;
}

void add_pieces(const std::vector<Piece>& pieces, const KernelDictionary& dictionary, Timeline& timeline) {
  Slices& slices = timeline.slices;
  const auto begins = static_cast<uint16_t>(timeline.categories.size());
  timeline.categories.push_back({"begin of work on the host", SliceKind::other});
  timeline.categories.push_back({"work on the host", SliceKind::kernel});
  std::vector<int> classes(timeline.names.size(), -1);  // by name
  const auto append = [&](const Slice& slice, SliceIndex parent, SliceIndex launch) {
    slices.append(slice);
    slices.parent.push_back(parent);
    slices.launch.push_back(launch);
    return static_cast<SliceIndex>(slices.size() - 1);
  };
  SliceIndex launch = kNone;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const auto& [op, time] = pieces[i];
    Slice slice{.start = slices.start[op], .name = slices.name[op], .track = slices.track[op], .category = begins};
    if (i == 0 || pieces[i - 1].op != op) launch = append(slice, op, kNone);
    slice.start = time.begin;
    slice.duration = time.end - time.begin;
    ++slice.category;
    const SliceIndex piece = append(slice, kNone, launch);
    timeline.device_ops.append({.slice = piece, .device = 0, .stream = slice.track});
    timeline.device_ops.kind.push_back(OpKind::compute);
    int& known = classes[slice.name];
    if (known < 0) known = static_cast<int>(dictionary.classify(timeline.name(op)));
    timeline.device_ops.kernel_class.push_back(static_cast<uint8_t>(known));
  }
}

Session with_host_as_device(const Session& given, HostUnit unit) {
  const KernelDictionary dictionary;
  Session session;
  session.inputs = given.inputs;
  session.zeros = given.zeros;
  for (const Run& from : given.runs) {
    Run& run = session.runs.emplace_back();
    run.file = from.file;
    run.format = from.format;
    run.host = from.host;
    run.rank = from.rank;
    run.rank_known = from.rank_known;
    run.world_size = from.world_size;
    run.clock_is_unix = from.clock_is_unix;
    run.clock_base = from.clock_base;
    run.clock = from.clock;
    run.event_step = from.event_step;
    run.arguments = from.arguments;
    run.devices.emplace_back().name = HostWork::kDevice;
    copy_timeline(from.timeline, run.timeline);
    add_pieces(find_pieces(from.timeline, unit), dictionary, run.timeline);
  }
  return session;
}

}  // namespace

bool has_device_work(const Session& session) {
  return std::any_of(session.runs.begin(), session.runs.end(), [](const Run& run) {
    bool any = false;
    for_each_device_op(run.timeline, [&](OpIndex, SliceIndex) { any = true; });
    return any;
  });
}

bool has_host_work(const Session& session, HostUnit unit) {
  return std::any_of(session.runs.begin(), session.runs.end(), [&](const Run& run) {
    const Timeline& timeline = run.timeline;
    for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
      if (is_unit(unit, timeline.kind(slice)) && is_plausible(timeline, slice) && timeline.slices.duration[slice] > 0) {
        return true;
      }
    }
    return false;
  });
}

HostWork::HostWork(const SessionFacts& given, HostUnit unit)
    : original_(given), unit_(unit), session_(with_host_as_device(given.session(), unit)), facts_(session_) {}

SliceIndex HostWork::original_slice(size_t run, SliceIndex slice) const {
  if (slice < original_.run(run).timeline.slices.size()) return slice;
  const Slices& slices = session_.runs[run].timeline.slices;
  const SliceIndex begin = slices.launch[slice] == kNone ? slice : slices.launch[slice];
  return slices.parent[begin];
}

OpIndex HostWork::first_piece_of(size_t run, SliceIndex op) const {
  const std::vector<SliceIndex>& pieces = session_.runs[run].timeline.device_ops.slice;
  const auto found = std::partition_point(pieces.begin(), pieces.end(),
                                          [&](SliceIndex piece) { return original_slice(run, piece) < op; });
  if (found == pieces.end() || original_slice(run, *found) != op) return kNone;
  return static_cast<OpIndex>(found - pieces.begin());
}

bool HostWork::is_first_piece(size_t run, OpIndex op) const {
  const Timeline& timeline = session_.runs[run].timeline;
  const auto launch = [&](OpIndex one) { return timeline.slices.launch[timeline.device_ops.slice[one]]; };
  return op == 0 || launch(op - 1) != launch(op);
}

}  // namespace cgpu
