#include "comparison/attribution/time_attribution.h"

#include <algorithm>
#include <utility>

#include "analysis/common/folded_names.h"
#include "analysis/common/merged_names.h"
#include "analysis/device/device_ops.h"
#include "analysis/session_clock.h"
#include "base/sort_runs.h"
#include "links/collective_waits.h"

namespace cgpu {

std::vector<EndsOfWaits> ends_of_waits(const SessionFacts& facts) {
  const std::vector<Run>& runs = facts.session().runs;
  std::vector<EndsOfWaits> ends(runs.size());
  if (runs.size() < 2 || !has_common_clock(facts.session())) return ends;
  for (const CollectiveSeries& series : facts.collectives()) {
    if (series.members.size() < 2) continue;
    for_each_wait(facts.session(), series, arrivals(facts.session(), series),
                  [&](const CollectiveMember& member, const CollectivePart& part, int64_t until) {
                    ends[member.run][part.slice] = own_time(runs[member.run], until);
                  });
  }
  return ends;
}

int64_t waiting_of(const EndsOfWaits& ends, SliceIndex slice, Interval time) {
  const auto wait = ends.find(slice);
  return wait == ends.end() ? 0 : std::clamp(wait->second, time.begin, time.end) - time.begin;
}

namespace {

class DeviceOwners {
 public:
  DeviceOwners(const SessionFacts& facts, size_t run, const std::vector<Iteration>& iterations,
               const EndsOfWaits& ends_of_waits, Labels& labels,
               const std::function<void(const AttributedTime&)>& visit)
      : facts_(facts),
        run_(run),
        timeline_(facts.run(run).timeline),
        iterations_(iterations),
        labels_(labels),
        visit_(visit),
        ends_of_waits_(ends_of_waits) {}

  void add(std::vector<OpIndex> ops) {
    const Slices& slices = timeline_.slices;
    sort_runs(ops, [&](OpIndex a, OpIndex b) { return std::pair(start_of(a), a) < std::pair(start_of(b), b); });
    Interval busy_span{start_of(ops.front()), INT64_MIN};
    OpIndex last = ops.front();
    // From one begin or end to the next, what runs shares the time.
    std::vector<Running> running;
    int64_t now = 0;
    const auto run_until = [&](int64_t until) {
      while (!running.empty() && now < until) {
        int64_t next = until;
        for (const Running& one : running) next = std::min(next, one.end);
        if (next > now) share(running, {now, next});
        now = std::max(now, next);
        std::erase_if(running, [&](const Running& one) { return one.end <= now; });
      }
      now = until;
    };
    for (const OpIndex op : ops) {
      const SliceIndex slice = timeline_.device_ops.slice[op];
      run_until(slices.start[slice]);
      if (slices.end(slice) >= busy_span.end) {
        busy_span.end = slices.end(slice);
        last = op;
      }
      const auto wait = ends_of_waits_.find(slice);
      if (wait != ends_of_waits_.end() && wait->second > slices.start[slice]) {
        // The part behind the wait is entered when the wait ends, by share().
        running.push_back({op, slices.end(slice), std::min(wait->second, slices.end(slice))});
      } else if (slices.duration[slice] > 0) {
        running.push_back({op, slices.end(slice), INT64_MIN});
      }
    }
    run_until(INT64_MAX);
    facts_.idle().for_each_gap(run_, ops, [&](const IdleGap&, const std::vector<IdlePart>& parts) {
      for (const IdlePart& part : parts) {
        // Which call launches is the business of a vendor's runtime.
        const Label culprit = part.cause == IdleCause::launch_overhead ? 0 : culprit_of(part);
        add_idle(part.time, text_of(part.cause), culprit);
      }
    });
    add_edge({INT64_MIN, busy_span.begin}, ops.front());
    add_edge({busy_span.end, INT64_MAX}, last);
  }

 private:
  struct Running {
    OpIndex op = 0;
    int64_t end = 0;
    int64_t waits_until = INT64_MIN;
  };

  OpKind kind_of(const Running& one) const { return timeline_.device_ops.kind[one.op]; }

  int64_t start_of(OpIndex op) const { return timeline_.slices.start[timeline_.device_ops.slice[op]]; }

  /// Shares a time in which all of these ran equally among those that hide the others: compute does communication and
  /// copies, communication does copies. What cannot be divided goes to the first ones.
  void share(const std::vector<Running>& running, Interval time) {
    OpKind hiding = OpKind::memory;
    for (const Running& one : running) hiding = std::min(hiding, kind_of(one));
    const auto count =
        std::count_if(running.begin(), running.end(), [&](const Running& one) { return kind_of(one) == hiding; });
    for_each_part_in(iterations_, &Iteration::time, time, [&](uint32_t iteration, Interval part) {
      const int64_t length = part.end - part.begin;
      int64_t i = -1;
      for (const Running& one : running) {
        if (kind_of(one) != hiding) continue;
        ++i;
        const int64_t own = length / count + (i < length % count ? 1 : 0);
        const int64_t waited = std::clamp(one.waits_until, part.begin, part.end) - part.begin;
        const int64_t waiting = waited == length ? own : own * waited / length;
        AttributedTime owned{
            .iteration = iteration, .time = waiting, .begin = part.begin, .op = one.op, .waiting = true};
        if (waiting > 0) visit_(owned);
        owned.time = own - waiting;
        owned.waiting = false;
        if (owned.time > 0) visit_(owned);
      }
    });
  }

  void add_idle(Interval time, std::string_view cause, Label culprit) {
    for_each_part_in(iterations_, &Iteration::time, time, [&](uint32_t iteration, Interval part) {
      visit_({.iteration = iteration,
              .time = part.end - part.begin,
              .begin = part.begin,
              .cause = cause,
              .culprit = culprit});
    });
  }

  /// Time before the first or after the last op of a device: what the thread that launched this op did.
  void add_edge(Interval time, OpIndex op) {
    const SliceIndex call = launch_of(timeline_, timeline_.device_ops.slice[op]);
    const TrackIndex thread = call == kNone ? kNone : timeline_.slices.track[call];
    for_each_part_in(iterations_, &Iteration::time, time, [&](uint32_t, Interval part) {
      int64_t done = part.begin;
      if (thread != kNone) {
        facts_.idle().for_each_host_piece(run_, thread, part, [&](Interval piece, IdleCause cause, SliceIndex slice) {
          add_idle({done, piece.begin}, text_of(IdleCause::host_code), 0);
          add_idle(piece, text_of(cause), slice == kNone ? 0 : label_of(slice));
          done = piece.end;
        });
        add_idle({done, part.end}, text_of(IdleCause::host_code), 0);
      } else {
        add_idle(part, kEdge, 0);
      }
    });
  }

  Label label_of(SliceIndex slice) {
    Label& label = entry(label_of_name_, timeline_.slices.name[slice]);
    if (label == 0) label = labels_.of_op(timeline_.name(slice));
    return label;
  }

  Label culprit_of(const IdlePart& part) {
    if (part.culprit != kNone) return label_of(part.culprit);
    if (part.next == kNone) return labels_.of_text(text_of(part.reason));
    Label& label = entry(label_before_, timeline_.slices.name[part.next]);
    if (label == 0) label = labels_.of_text("(nothing recorded before " + folded_name(timeline_.name(part.next)) + ")");
    return label;
  }

  const SessionFacts& facts_;
  size_t run_;
  const Timeline& timeline_;
  const std::vector<Iteration>& iterations_;
  Labels& labels_;
  const std::function<void(const AttributedTime&)>& visit_;
  const EndsOfWaits& ends_of_waits_;
  std::vector<Label> label_of_name_;
  std::vector<Label> label_before_;
};

}  // namespace

void for_each_attributed_time(const SessionFacts& facts, size_t run, const std::vector<Iteration>& iterations,
                              const EndsOfWaits& ends_of_waits, Labels& labels,
                              const std::function<void(const AttributedTime&)>& visit) {
  DeviceOwners owners(facts, run, iterations, ends_of_waits, labels, visit);
  for (auto& [device, ops] : ops_by_device(facts.run(run).timeline)) owners.add(std::move(ops));
}

}  // namespace cgpu
