#include "analysis/critical_path/edge_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "analysis/device/device_ops.h"
#include "analysis/host/launch_calls.h"
#include "base/error.h"
#include "model/migrations.h"

namespace cgpu {

namespace {

constexpr std::array<std::string_view, 4> kWorkNames{"compute", "communication", "memory", "kernel_gap"};

}  // namespace

BoundBy BoundBy::of(OpKind kind) {
  return kind == OpKind::compute ? compute : kind == OpKind::communication ? communication : memory;
}

std::string_view BoundBy::name_of(size_t number) {
  const std::optional<IdleCause> cause = cause_of(number);
  return cause ? text_of(*cause) : kWorkNames[number];
}

std::optional<IdleCause> BoundBy::cause_of(size_t number) {
  if (number < kWorkNames.size()) return std::nullopt;
  return static_cast<IdleCause>(number - kWorkNames.size());
}

BoundBy BoundBy::named(std::string_view name) {
  std::vector<std::string_view> names;
  for (size_t number = 0; number < kCount; ++number) {
    names.push_back(name_of(number));
    if (name_of(number) != name) continue;
    const std::optional<IdleCause> cause = cause_of(number);
    return cause ? BoundBy(*cause) : BoundBy(static_cast<Work>(number));
  }
  throw Error(fmt::format("'{}' is nothing that bounds a run; there are: {}", name, fmt::join(names, ", ")));
}

EdgeParts::PerRun::PerRun(const Timeline& timeline) : ops(timeline.device_ops), edges(timeline) {
  if (std::ranges::none_of(timeline.device_ops.copy, is_migration)) return;
  for (const auto& [device, of_device] : ops_by_device(timeline)) {
    touchers[device] = thread_of_migrations(timeline, of_device);
  }
}

TrackIndex EdgeParts::toucher_of(size_t run, SliceIndex op) {
  PerRun& of_run = per_run_[run];
  const Timeline& timeline = facts_.run(run).timeline;
  if (of_run.touchers.empty() || !is_device_op(timeline.kind(op))) return kNone;
  const OpIndex index = of_run.ops.op_of(op, of_run.search);
  if (!is_migration(timeline.device_ops.copy[index]) || timeline.slices.launch[op] != kNone) return kNone;
  return of_run.touchers.at(timeline.device_ops.device[index]);
}

EdgeParts::EdgeParts(const SessionFacts& facts) : facts_(facts), graph_(facts.dependencies()) {
  for (const Run& run : facts.session().runs) per_run_.emplace_back(run.timeline);
}

void EdgeParts::for_each(uint32_t number, MomentIndex to_index, const std::function<void(const EdgePart&)>& visit) {
  const Dependency edge = graph_.edges()[number];
  const Moment& to = graph_.moments()[to_index];
  const Moment& from = graph_.moments()[edge.from];
  const Timeline& timeline = facts_.run(to.run).timeline;
  PerRun& run = per_run_[to.run];
  const auto one = [&](BoundBy bound_by, SliceIndex slice, int64_t length) {
    if (length != 0) visit({bound_by, length, to.run, slice});
  };
  const auto work_of = [&](SliceIndex op) {
    one(BoundBy::of(timeline.device_ops.kind[run.ops.op_of(op, run.search)]), op, edge.weight);
  };
  const int64_t end = to.time + graph_.zero(to.run);  // on the run's clock
  const auto waits = [&](IdleCause otherwise) {
    const bool is_op = to.kind == Moment::Kind::begin && is_device_op(timeline.kind(to.slice));
    const bool at_edge = is_op && run.edges.holds({end - edge.weight, end}, to.slice);
    return at_edge ? IdleCause::profile_edge : otherwise;
  };
  switch (edge.kind) {
    case EdgeKind::work:
      return work_of(from.slice);
    case EdgeKind::collective:
      return is_device_op(timeline.kind(to.slice)) ? work_of(to.slice) : host_transfer(edge, to, visit);
    case EdgeKind::arrival:  // a message of another rank is on its way, or it is not known whose
      return one(from.run == to.run ? BoundBy(IdleCause::other_rank) : BoundBy(BoundBy::communication), from.slice,
                 edge.weight);
    case EdgeKind::copy_wait:
      return one(IdleCause::blocking_copy, to.slice, edge.weight);
    case EdgeKind::wait:
      return one(IdleCause::synchronization, to.slice, edge.weight);
    case EdgeKind::release:  // the call goes on with what it is for
      return call_parts(to.run, to.slice, {end - edge.weight, end}, visit);
    case EdgeKind::event:
    case EdgeKind::succession:
      return one(IdleCause::dependency, to.slice, edge.weight);
    case EdgeKind::stream: {
      if (edge.weight < kLongestStart || from.kind == Moment::Kind::begin) {
        return one(BoundBy::kernel_gap, to.slice, edge.weight);
      }
      const SliceIndex call = launch_of(timeline, to.slice);
      const Interval delay = delay_in_call(number, to_index, call);
      const TrackIndex toucher = toucher_of(to.run, to.slice);
      if (toucher != kNone) return host_parts(to.run, toucher, {end - edge.weight, end}, kNone, visit);
      if (delay.end - delay.begin < kLongestStart) {
        const bool launched = timeline.slices.launch[to.slice] != kNone;
        return one(waits(launched ? IdleCause::dependency : IdleCause::unknown), to.slice, edge.weight);
      }
      const auto gap = [&](int64_t length, BoundBy when_short) {
        one(length < kLongestStart ? when_short : BoundBy(IdleCause::dependency), to.slice, length);
      };
      gap(edge.weight - (end - delay.begin), BoundBy::kernel_gap);
      call_parts(to.run, call, delay, visit);
      return gap(end - delay.end, IdleCause::launch_overhead);
    }
    case EdgeKind::launch: {
      const int64_t in_call = std::min(edge.weight, timeline.slices.duration[from.slice]);
      const int64_t since = edge.weight - in_call;
      const bool is_long = in_call >= kLongestStart;  // it did something else as well
      if (!is_long && since < kLongestStart) return one(IdleCause::launch_overhead, from.slice, edge.weight);
      if (is_long) {
        const int64_t begin = timeline.slices.start[from.slice];
        call_parts(to.run, from.slice, {begin, begin + in_call}, visit);
      } else {
        one(IdleCause::launch_overhead, from.slice, in_call);
      }
      if (since < kLongestStart) return one(IdleCause::launch_overhead, from.slice, since);
      // While its stream was still at work from before the recording, all that is queued waits for that.
      const TrackIndex stream = timeline.slices.track[to.slice];
      const int64_t edge_until = stream == kNone ? INT64_MIN : run.edges.earlier_work_until(stream);
      const int64_t at_edge = std::clamp<int64_t>(std::max(edge_until, end - since) - (end - since), 0, since);
      one(IdleCause::profile_edge, to.slice, at_edge);
      return one(at_edge > 0 && since - at_edge < kLongestStart ? IdleCause::launch_overhead : IdleCause::dependency,
                 to.slice, since - at_edge);
    }
    case EdgeKind::start: {
      const bool is_begin = to.kind == Moment::Kind::begin && to.slice != kNone;
      const TrackIndex toucher = is_begin ? toucher_of(to.run, to.slice) : kNone;
      if (toucher != kNone) return host_parts(to.run, toucher, {end - edge.weight, end}, kNone, visit);
      return one(waits(IdleCause::unknown), to.slice, edge.weight);
    }
    case EdgeKind::host:
      if (from.slice == to.slice && from.run == to.run && graph_.ends_collective(to_index)) {
        return host_transfer(edge, to, visit);
      }
      [[fallthrough]];
    case EdgeKind::handover: {
      const TrackIndex thread = timeline.slices.track[to.slice];
      const bool calls = from.kind == Moment::Kind::begin && from.slice != kNone && from.run == to.run &&
                         is_call(timeline.kind(from.slice)) && timeline.slices.track[from.slice] == thread;
      // All of the time since, or the return from a wait.
      return host_parts(to.run, thread, {end - edge.weight, end}, calls ? from.slice : kNone, visit);
    }
  }
}

/// The end of a collective of hosts, in which all of them have met.
void EdgeParts::host_transfer(const Dependency& edge, const Moment& to,
                              const std::function<void(const EdgePart&)>& visit) const {
  if (edge.weight == 0) return;
  const int64_t end = to.time + graph_.zero(to.run);
  const TrackIndex thread = facts_.run(to.run).timeline.slices.track[to.slice];
  visit({BoundBy::communication, edge.weight, to.run, to.slice, thread, {end - edge.weight, end}});
}

Interval EdgeParts::delay_in_call(uint32_t edge, MomentIndex to, SliceIndex call) const {
  const Moment& op = graph_.moments()[to];
  if (call == kNone || op.bound_by != edge) return {};
  const Slices& slices = facts_.run(op.run).timeline.slices;
  const int64_t end = op.time + graph_.zero(op.run);
  const int64_t begin = std::max(slices.start[call], end - graph_.delay(to));
  return {begin, std::max(begin, std::min(slices.end(call), end))};
}

void EdgeParts::call_parts(size_t run, SliceIndex call, Interval time,
                           const std::function<void(const EdgePart&)>& visit) const {
  host_parts(run, facts_.run(run).timeline.slices.track[call], time, call, [&](EdgePart part) {
    part.thread = kNone;
    part.time = {};
    visit(part);
  });
}

void EdgeParts::host_parts(size_t run, TrackIndex thread, Interval time, SliceIndex launch_call,
                           const std::function<void(const EdgePart&)>& visit) const {
  if (time.begin >= time.end) return;
  const Timeline& timeline = facts_.run(run).timeline;

  // A call that launches costs launching; of the rest the causes that the thread shows, and host_code.
  const bool calls = launch_call != kNone;
  const int64_t called = calls ? std::clamp(timeline.slices.end(launch_call), time.begin, time.end) : time.begin;
  // A slice around the launch call does not explain the call itself.
  const Slices& slices = timeline.slices;
  const auto explains_call = [&](SliceIndex slice) {
    if (!calls || slice == kNone || !is_host(timeline.kind(slice))) return !calls || slice != kNone;
    const auto place = [&](SliceIndex one) { return std::tuple(slices.start[one], -slices.duration[one], one); };
    return place(slice) >= place(launch_call);
  };
  int64_t now = time.begin;
  const auto part = [&](int64_t until, IdleCause cause, SliceIndex slice) {
    if (now >= until) return;
    visit({cause, until - now, run, slice, thread, {now, until}});
    now = until;
  };
  const auto rest_until = [&](int64_t until) {  // time without a cause of its own
    part(std::min(called, until), IdleCause::launch_overhead, launch_call);
    part(until, IdleCause::host_code, kNone);
  };
  facts_.idle().for_each_host_piece(run, thread, time, [&](Interval piece, IdleCause cause, SliceIndex slice) {
    rest_until(piece.begin);
    if (!explains_call(slice)) part(std::min(called, piece.end), IdleCause::launch_overhead, launch_call);
    part(piece.end, cause, slice);
  });
  rest_until(time.end);
}

}  // namespace cgpu
