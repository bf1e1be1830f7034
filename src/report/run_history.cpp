#include "report/run_history.h"

#include <algorithm>
#include <utility>

#include "analysis/device/device_ops.h"
#include "base/message.h"

namespace cgpu {

namespace {

/// A history as a member of a message.
struct HistoryMessage {
  RunHistory& history;

  template <typename Archive>
  void members(Archive& archive) {
    archive(history.rank, history.zero);
    each_element(archive, history.devices, [&](DeviceHistory& device) {
      archive(device.device, device.span.begin, device.span.end);
      for (IntervalSet& active : device.active) intervals(archive, active);
    });
    each_element(archive, history.memory, [&](MemoryHistory& memory) {
      archive(memory.device, memory.span.begin, memory.span.end, memory.peak);
      for (auto* samples : {&memory.allocated, &memory.reserved}) {
        each_element(archive, *samples, [&](MemorySample& sample) { archive(sample.time, sample.bytes); });
      }
    });
  }

 private:
  template <typename Archive>
  static void intervals(Archive& archive, IntervalSet& set) {
    std::vector<Interval> all = set.intervals();
    each_element(archive, all, [&](Interval& interval) { archive(interval.begin, interval.end); });
    set = IntervalSet(std::move(all));
  }
};

}  // namespace

RunHistory history_of(const Run& run) {
  RunHistory history;
  const Timeline& timeline = run.timeline;
  for (const auto& [device, ops] : ops_by_device(timeline)) {
    std::array<std::vector<OpIndex>, 3> of_kind;
    for (const OpIndex op : ops) of_kind[static_cast<size_t>(timeline.device_ops.kind[op])].push_back(op);
    const auto time_of = [&](OpKind kind) { return busy_time(timeline, of_kind[static_cast<size_t>(kind)]); };
    const IntervalSet communication = time_of(OpKind::communication);
    DeviceHistory& one = history.devices.emplace_back();
    one.device = device;
    one.span = span_of(timeline, ops);
    one.active[0] = time_of(OpKind::compute);
    one.active[1] = communication.subtract(one.active[0]);
    one.active[2] = time_of(OpKind::memory).subtract(one.active[0].unite(communication));
  }

  std::map<int32_t, MemoryHistory> by_device;
  for (const MemoryEvent& event : timeline.memory) {
    if (event.total_allocated < 0 && event.total_reserved < 0) continue;
    const auto [at, is_new] = by_device.try_emplace(event.device);
    MemoryHistory& memory = at->second;
    if (is_new) memory.span = {event.time, event.time};
    memory.device = event.device;
    memory.span = {std::min(memory.span.begin, event.time), std::max(memory.span.end, event.time)};
    memory.peak = std::max({memory.peak, event.total_allocated, event.total_reserved});
    if (event.total_allocated >= 0) memory.allocated.push_back({event.time, event.total_allocated});
    if (event.total_reserved >= 0) memory.reserved.push_back({event.time, event.total_reserved});
  }
  for (auto& [device, memory] : by_device) history.memory.push_back(std::move(memory));
  return history;
}

void RunHistories::collect(const RunInSession& run) {
  RunHistory history = history_of(run.run());
  history.rank = run.run().rank_known ? run.run().rank : int64_t{run.number};
  keep(run.number, std::move(history));
}

void RunHistories::keep(uint32_t number, RunHistory history) {
  order_.emplace(std::pair(history.rank, number), number);
  histories_[number] = std::move(history);
  if (order_.size() <= kDetailed) return;
  const auto last = std::prev(order_.end());
  RunHistory& cut = histories_[last->second];
  for (DeviceHistory& device : cut.devices) device.active = {};
  for (MemoryHistory& memory : cut.memory) {
    memory.allocated = {};
    memory.reserved = {};
  }
  order_.erase(last);
}

std::string RunHistories::take_bytes(uint32_t number) {
  auto node = histories_.extract(number);
  order_.erase(std::pair(node.mapped().rank, number));
  MessageWriter message;
  message(HistoryMessage{node.mapped()});
  return message.take();
}

void RunHistories::put_bytes(uint32_t number, const std::string& bytes) {
  RunHistory history;
  HistoryMessage member{history};
  MessageReader(bytes, "the history of a rank")(member);
  keep(number, std::move(history));
}

std::vector<RunHistory> RunHistories::take(const MadeTables& made) {
  const SessionFacts facts(*made.session);
  std::vector<RunHistory> taken;
  for (size_t run = 0; run < made.session->runs.size(); ++run) {
    RunHistory& history = taken.emplace_back(std::move(histories_[made.numbers[run]]));
    history.rank = made.session->runs[run].rank;
    history.zero = facts.zeros()[run];
  }
  histories_.clear();
  order_.clear();
  return taken;
}

}  // namespace cgpu
