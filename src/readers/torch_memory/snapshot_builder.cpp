#include "readers/torch_memory/snapshot_builder.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "model/time_range.h"

namespace cgpu::torch_memory {

namespace {

constexpr int64_t kMostMicroseconds = kMostTime / 1000;
constexpr int64_t kEventStep = 1000;  // ns between events without times

Action action_of(std::string_view text) {
  if (text == "alloc") return Action::allocate;
  if (text == "free_requested" || text == "free") return Action::free;
  if (text == "free_completed") return Action::free_completed;
  if (text == "segment_alloc" || text == "segment_map") return Action::reserve;
  if (text == "segment_free" || text == "segment_unmap") return Action::unreserve;
  if (text == "oom") return Action::out_of_memory;
  if (text == "snapshot") return Action::snapshot;
  return Action::unknown;
}

/// Adds `bytes` to `to` unless the sum does not fit.
bool add_to(int64_t& to, int64_t bytes) {
  return !__builtin_add_overflow(to, bytes, &to);
}

}  // namespace

SnapshotBuilder::SnapshotBuilder(Run& run) : run_(run) {
  allocated_ = add_metric("allocated", "B", "bytes allocated, whether they were released or not");
  allocations_ = add_metric("allocations", "", "allocations");
  at_peak_ = add_metric("at_peak", "B",
                        "bytes in use when the device had most in use; at the root also what was "
                        "allocated before the recording");
  at_end_ = add_metric("at_end", "B",
                       "bytes in use at the end; at the root also what was allocated before the "
                       "recording");
}

MetricIndex SnapshotBuilder::add_metric(const char* name, const char* unit, const char* about) {
  Metric metric;
  metric.name = name;
  metric.unit = unit;
  metric.about = about;
  return tree_.add_metric(std::move(metric));
}

void SnapshotBuilder::add_segment(std::optional<int64_t> device, std::optional<int64_t> allocated,
                                  std::optional<int64_t> reserved) {
  ++run_.events.read;
  const bool sound = device && *device >= 0 && *device < static_cast<int64_t>(kMostDevices) && reserved &&
                     *reserved >= 0 && allocated && *allocated >= 0;
  if (!sound) return skip("segments without a device and sizes were left out");
  ++run_.events.metadata;
  Held& held = held_[static_cast<int32_t>(*device)];
  if (!add_to(held.allocated, *allocated) || !add_to(held.reserved, *reserved)) note_large_sum();
}

void SnapshotBuilder::skip(const char* why) {
  ++run_.events.skipped;
  run_.notes.add("skipped_event", 1, why);
}

void SnapshotBuilder::note_large_sum() {
  run_.notes.add("invalid_number", 1, "sizes whose sum does not fit into 64 bits");
}

void SnapshotBuilder::note_overflow(size_t device, std::optional<int64_t> most) {
  std::string text = "the recording of device " + std::to_string(device) + " begins late: ";
  text += most ? "it keeps the last " + std::to_string(*most) + " events" : "it keeps a limited number of events";
  run_.notes.add("missing_beginning", 1,
                 text +
                     " and had more. What was allocated before has no stack: record with a larger max_entries "
                     "(torch.cuda.memory._record_memory_history)",
                 true);
}

std::optional<SnapshotEvent> SnapshotBuilder::event_of(const SnapshotRecord& record) {
  ++run_.events.read;
  SnapshotEvent event;
  event.action = action_of(record.action);
  const bool sized = event.action != Action::out_of_memory && event.action != Action::snapshot;
  if (event.action == Action::unknown) {
    skip("events of a kind that is not known were left out");
  } else if (!record.time || *record.time < 0 || *record.time > kMostMicroseconds) {
    skip("events without a time that can be true were left out");
  } else if (sized && (!record.bytes || *record.bytes < 0 || !record.address)) {
    skip("events without a size and an address were left out");
  } else if (event.action == Action::free_completed) {
    ++run_.events.ends;
  } else {
    ++(sized ? run_.events.memory : run_.events.instants);
    event.bytes = record.bytes.value_or(0);
    event.address = record.address.value_or(0);
    event.time = *record.time * kEventStep;
    last_ = std::max(last_, event.time);
    return event;
  }
  return std::nullopt;
}

void SnapshotBuilder::add_trace(const std::vector<SnapshotEvent>& events, int32_t device, bool end_known) {
  if (events.empty()) return;
  traced_.insert(device);
  const Held before = end_known ? held_before(events, device) : Held();
  size_t peak = SIZE_MAX;  // the event after which most is in use; SIZE_MAX: before the first
  int64_t most = before.allocated;
  Held now = before;
  for (size_t i = 0; i < events.size(); ++i) {
    apply(events[i], now);
    add_event(events[i], device, now);
    if (now.allocated > most) {
      most = now.allocated;
      peak = i;
    }
  }
  add_to_tree(events, device, peak, most, now.allocated);
}

void SnapshotBuilder::finish() {
  run_.clock_is_unix = timed_ && !traced_.empty();
  if (!timed_ && !traced_.empty()) {
    run_.event_step = kEventStep;
    run_.notes.add("no_times", 1, "the snapshot has no times: its events are shown 1 us apart, in their order");
  }
  for (const auto& [device, held] : held_) {
    if (traced_.count(device) == 0) add_event(SnapshotEvent{Action::snapshot, last_, 0, 0, 0}, device, held);
  }
  if (tree_.nodes() > 1) {
    run_.call_tree = tree_.finish();
    run_.call_tree->main_metric = at_peak_;
  }
}

/// Applies an event to what is held; one whose sum does not fit changes nothing.
void SnapshotBuilder::apply(const SnapshotEvent& event, Held& held) {
  const bool gives = event.action == Action::free || event.action == Action::unreserve;
  const int64_t change = gives ? -event.bytes : event.bytes;
  bool fits = true;
  if (event.action == Action::allocate || event.action == Action::free) fits = add_to(held.allocated, change);
  if (event.action == Action::reserve || event.action == Action::unreserve) fits = add_to(held.reserved, change);
  if (!fits) note_large_sum();
}

/// What the device held before its first event: what it holds in the end, without what the events changed. Nothing
/// where the end is not known.
SnapshotBuilder::Held SnapshotBuilder::held_before(const std::vector<SnapshotEvent>& events, int32_t device) {
  const auto end = held_.find(device);
  if (end == held_.end()) return {};
  Held change;
  for (const SnapshotEvent& event : events) apply(event, change);
  Held before;
  const bool fits = !__builtin_sub_overflow(end->second.allocated, change.allocated, &before.allocated) &&
                    !__builtin_sub_overflow(end->second.reserved, change.reserved, &before.reserved);
  if (!fits || before.allocated < 0 || before.reserved < 0) {
    run_.notes.add("inconsistent", 1,
                   "the events of a device do not lead to what its segments hold: it was taken to hold nothing at "
                   "first");
    return {};
  }
  return before;
}

void SnapshotBuilder::add_event(const SnapshotEvent& event, int32_t device, const Held& held) {
  if (event.action == Action::out_of_memory || (event.action == Action::snapshot && traced_.count(device) != 0)) {
    const bool full = event.action == Action::out_of_memory;
    const std::string name = (full ? "out of memory on device " : "snapshot of device ") + std::to_string(device);
    run_.timeline.instants.push_back({event.time, run_.timeline.names.intern(name), kNone, InstantScope::global});
    return;
  }
  MemoryEvent made;
  made.time = event.time;
  if (event.action == Action::allocate) made.bytes = event.bytes;
  if (event.action == Action::free) made.bytes = -event.bytes;
  made.total_allocated = held.allocated;
  made.total_reserved = held.reserved;
  made.device = device;
  run_.timeline.memory.push_back(made);
}

NodeIndex SnapshotBuilder::node_of(const std::vector<SnapshotFrame>& stack) {
  NodeIndex node = 0;
  for (size_t i = stack.size(); i-- > stack.size() - std::min(stack.size(), kMostFrames);) {
    CallPlace where;
    where.name = tree_.names().intern(stack[i].name);
    where.file = tree_.names().intern(stack[i].file);
    node = tree_.child(node, where);
    const int64_t line = stack[i].line;
    if (line <= 0 || line > UINT32_MAX) continue;
    where.name = 0;
    where.line = static_cast<uint32_t>(line);
    where.kind = NodeKind::line;
    node = tree_.child(node, where);
  }
  return node;
}

void SnapshotBuilder::add_to_tree(const std::vector<SnapshotEvent>& events, int32_t device, size_t peak, int64_t most,
                                  int64_t last) {
  CallProfile description;
  description.name = "device " + std::to_string(device);
  description.device = true;
  const uint32_t profile = tree_.add_profile(std::move(description));
  std::unordered_map<int64_t, const SnapshotEvent*> live;  // by address
  const auto add_live = [&](MetricIndex metric, int64_t total) {
    double known = 0;
    for (const auto& [address, event] : live) {
      known += static_cast<double>(event->bytes);
      tree_.add(profile, metric, event->node, static_cast<double>(event->bytes));
    }
    const double earlier = static_cast<double>(total) - known;
    if (earlier > 0) tree_.add(profile, metric, 0, earlier);
  };
  if (peak == SIZE_MAX) add_live(at_peak_, most);
  for (size_t i = 0; i < events.size(); ++i) {
    const SnapshotEvent& event = events[i];
    if (event.action == Action::allocate) {
      live[event.address] = &event;
      tree_.add(profile, allocated_, event.node, static_cast<double>(event.bytes));
      tree_.add(profile, allocations_, event.node, 1);
    } else if (event.action == Action::free) {
      live.erase(event.address);
    }
    if (i == peak) add_live(at_peak_, most);
  }
  add_live(at_end_, last);
}

}  // namespace cgpu::torch_memory
