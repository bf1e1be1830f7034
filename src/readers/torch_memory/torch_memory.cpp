#include "readers/torch_memory/torch_memory.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "model/time_range.h"
#include "readers/common/call_tree_builder.h"
#include "readers/torch_memory/pickle.h"

namespace cgpu::torch_memory {

namespace {

constexpr size_t kMostDevices = 1024;
constexpr size_t kMostFrames = 1000;  // of a stack, from the outermost in
constexpr uint64_t kMostBytes = uint64_t{8} << 30;
constexpr int64_t kMostMicroseconds = kMostTime / 1000;
constexpr int64_t kEventStep = 1000;  // ns between events without times

enum class Action { allocate, free, free_completed, reserve, unreserve, out_of_memory, snapshot, unknown };

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

/// One event of a device's trace.
struct Event {
  Action action = Action::unknown;
  int64_t time = 0;
  int64_t bytes = 0;
  int64_t address = 0;
  NodeIndex node = 0;
};

/// What the segments of a device hold when the snapshot was taken.
struct Held {
  int64_t allocated = 0;
  int64_t reserved = 0;
};

std::string read_all(TextSource& source, Run& run) {
  constexpr size_t kStep = size_t{1} << 20;
  std::string bytes;
  for (size_t got = 1; got > 0 && bytes.size() < kMostBytes;) {
    const size_t before = bytes.size();
    bytes.resize(before + kStep);
    got = source.read(bytes.data() + before, kStep);
    bytes.resize(before + got);
  }
  if (bytes.size() >= kMostBytes) run.notes.add("truncated_input", 1, "reading stopped at 8 GiB", true);
  return bytes;
}

/// Adds `bytes` to `to` unless the sum does not fit.
bool add_to(int64_t& to, int64_t bytes) {
  return !__builtin_add_overflow(to, bytes, &to);
}

class Reader {
 public:
  Reader(const Input& input, Run& run) : path_(input.path), run_(run), pickle_(read_all(*input.source, run)) {
    allocated_ = add_metric("allocated", "B", "bytes allocated, whether they were released or not");
    allocations_ = add_metric("allocations", "", "allocations");
    at_peak_ = add_metric("at_peak", "B",
                          "bytes in use when the device had most in use; at the root also what was "
                          "allocated before the recording");
    at_end_ = add_metric("at_end", "B",
                         "bytes in use at the end; at the root also what was allocated before the "
                         "recording");
  }

  void read() {
    const PickleValue& root = pickle_.root();
    const PickleValue* segments = pickle_.find(root, "segments");
    const PickleValue* traces = pickle_.find(root, "device_traces");
    if (segments == nullptr && traces == nullptr) {
      throw Error(path_,
                  pickle_.damage().empty() ? "is a pickle, but no memory snapshot of PyTorch" : pickle_.damage());
    }
    if (segments != nullptr) read_segments(*segments);
    if (traces != nullptr) read_traces(*traces);
    add_facts(root);
    for (const auto& [device, held] : held_) {
      if (traced_.count(device) == 0) add_event(Event{Action::snapshot, last_, 0, 0, 0}, device, held);
    }
    if (tree_.nodes() > 1) {
      run_.call_tree = tree_.finish(places_);
      run_.call_tree->main_metric = at_peak_;
    }
    run_.notes.add("refused_object", pickle_.refused(),
                   "objects of classes in the pickle were passed over: nothing in it is executed");
    if (!pickle_.damage().empty()) run_.notes.add("truncated_input", 1, pickle_.damage(), true);
    if (const auto place = pickle_.trailing()) note_trailing_data(run_.notes, *place);
  }

 private:
  MetricIndex add_metric(const char* name, const char* unit, const char* about) {
    Metric metric;
    metric.name = name;
    metric.unit = unit;
    metric.about = about;
    return tree_.add_metric(std::move(metric));
  }

  std::optional<int64_t> number(const PickleValue& record, std::string_view key) const {
    const PickleValue* value = pickle_.find(record, key);
    return value ? pickle_.integer(*value) : std::nullopt;
  }
  std::string_view text(const PickleValue& record, std::string_view key) const {
    const PickleValue* value = pickle_.find(record, key);
    return value ? pickle_.text(*value) : std::string_view();
  }

  void add_facts(const PickleValue& root) {
    const PickleValue* settings = pickle_.find(root, "allocator_settings");
    if (settings == nullptr) return;
    for (const char* key : {"PYTORCH_CUDA_ALLOC_CONF", "max_split_size", "garbage_collection_threshold",
                            "expandable_segments", "roundup_power2_divisions"}) {
      const PickleValue* value = pickle_.find(*settings, key);
      const auto integer = value ? pickle_.integer(*value) : std::nullopt;
      if (integer) run_.metadata.emplace_back(key, std::to_string(*integer));
    }
  }

  void read_segments(const PickleValue& segments) {
    for (const PickleValue& segment : pickle_.elements(segments)) {
      ++run_.events.read;
      const auto device = number(segment, "device");
      const auto total = number(segment, "total_size");
      const auto allocated = number(segment, "allocated_size");
      const bool sound = device && *device >= 0 && *device < static_cast<int64_t>(kMostDevices) && total &&
                         *total >= 0 && allocated && *allocated >= 0;
      if (!sound) {
        skip("segments without a device and sizes were left out");
        continue;
      }
      ++run_.events.metadata;
      Held& held = held_[static_cast<int32_t>(*device)];
      if (!add_to(held.allocated, *allocated) || !add_to(held.reserved, *total)) overflow();
    }
  }

  void skip(const char* why) {
    ++run_.events.skipped;
    run_.notes.add("skipped_event", 1, why);
  }
  void overflow() { run_.notes.add("invalid_number", 1, "sizes whose sum does not fit into 64 bits"); }

  void read_traces(const PickleValue& traces) {
    const std::vector<PickleValue>& devices = pickle_.elements(traces);
    for (const PickleValue& trace : devices) {
      const std::vector<PickleValue>& events = pickle_.elements(trace);
      if (!events.empty()) timed_ = timed_ || number(events.front(), "time_us").has_value();
    }
    std::set<uint32_t> read;
    for (size_t device = 0; device < devices.size(); ++device) {
      if (pickle_.elements(devices[device]).empty()) continue;
      if (device >= kMostDevices || !read.insert(devices[device].index).second) {
        run_.notes.add("skipped_event", 1, "traces beyond 1,024 devices, or of two devices at once, were left out",
                       true);
        continue;
      }
      read_trace(devices[device], static_cast<int32_t>(device));
    }
    run_.clock_is_unix = timed_;
    if (timed_ || traced_.empty()) return;
    run_.event_step = kEventStep;
    run_.notes.add("no_times", 1, "the snapshot has no times: its events are shown 1 us apart, in their order");
  }

  void read_trace(const PickleValue& trace, int32_t device) {
    std::vector<Event> events;
    for (const PickleValue& record : pickle_.elements(trace)) {
      ++run_.events.read;
      Event event;
      if (read_event(record, static_cast<int64_t>(events.size()), event)) events.push_back(event);
    }
    if (events.empty()) return;
    traced_.insert(device);
    const Held before = held_before(events, device);
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

  bool read_event(const PickleValue& record, int64_t place, Event& event) {
    event.action = action_of(text(record, "action"));
    const auto bytes = number(record, "size");
    const auto address = number(record, "addr");
    const auto time = timed_ ? number(record, "time_us") : std::optional(place);
    const bool sized = event.action != Action::out_of_memory && event.action != Action::snapshot;
    if (event.action == Action::unknown) {
      skip("events of a kind that is not known were left out");
    } else if (!time || *time < 0 || *time > kMostMicroseconds) {
      skip("events without a time that can be true were left out");
    } else if (sized && (!bytes || *bytes < 0 || !address)) {
      skip("events without a size and an address were left out");
    } else if (event.action == Action::free_completed) {
      ++run_.events.ends;
    } else {
      ++(sized ? run_.events.memory : run_.events.instants);
      event.bytes = bytes.value_or(0);
      event.address = address.value_or(0);
      event.time = *time * kEventStep;
      last_ = std::max(last_, event.time);
      if (event.action == Action::allocate) event.node = node_of(record);
      return true;
    }
    return false;
  }

  /// Applies an event to what is held; one whose sum does not fit changes nothing.
  void apply(const Event& event, Held& held) {
    const bool gives = event.action == Action::free || event.action == Action::unreserve;
    const int64_t change = gives ? -event.bytes : event.bytes;
    bool fits = true;
    if (event.action == Action::allocate || event.action == Action::free) fits = add_to(held.allocated, change);
    if (event.action == Action::reserve || event.action == Action::unreserve) fits = add_to(held.reserved, change);
    if (!fits) overflow();
  }

  /// What the device held before its first event: what it holds in the end, without what the events changed. Nothing
  /// where the end is not known.
  Held held_before(const std::vector<Event>& events, int32_t device) {
    const auto end = held_.find(device);
    if (end == held_.end() || !pickle_.damage().empty()) return {};
    Held change;
    for (const Event& event : events) apply(event, change);
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

  void add_event(const Event& event, int32_t device, const Held& held) {
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

  // ---- call tree

  uint32_t place(const CallPlace& where) {
    const auto key = std::tuple(where.name, where.file, where.line, where.kind);
    const auto [at, added] = place_numbers_.try_emplace(key, static_cast<uint32_t>(places_.size()));
    if (added) places_.push_back(where);
    return at->second;
  }

  /// The node of the stack of an event; stacks that are one list in the pickle are walked once.
  NodeIndex node_of(const PickleValue& event) {
    const PickleValue* frames = pickle_.find(event, "frames");
    if (frames == nullptr || pickle_.elements(*frames).empty()) return 0;
    const auto [at, added] = stacks_.try_emplace(frames->index, 0);
    if (!added) return at->second;
    const std::vector<PickleValue>& stack = pickle_.elements(*frames);  // the innermost first
    NodeIndex node = 0;
    for (size_t i = stack.size(); i-- > stack.size() - std::min(stack.size(), kMostFrames);) {
      CallPlace where;
      where.name = tree_.names().intern(text(stack[i], "name"));
      where.file = tree_.names().intern(text(stack[i], "filename"));
      node = tree_.child(node, place(where));
      const int64_t line = number(stack[i], "line").value_or(0);
      if (line <= 0 || line > UINT32_MAX) continue;
      where.name = 0;
      where.line = static_cast<uint32_t>(line);
      where.kind = NodeKind::line;
      node = tree_.child(node, place(where));
    }
    return stacks_[frames->index] = node;
  }

  void add_to_tree(const std::vector<Event>& events, int32_t device, size_t peak, int64_t most, int64_t last) {
    CallProfile description;
    description.name = "device " + std::to_string(device);
    description.device = true;
    const uint32_t profile = tree_.add_profile(std::move(description));
    std::unordered_map<int64_t, const Event*> live;  // by address
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
      const Event& event = events[i];
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

  const std::string& path_;
  Run& run_;
  Pickle pickle_;
  bool timed_ = false;
  int64_t last_ = 0;
  std::map<int32_t, Held> held_;  // by device
  std::set<int32_t> traced_;      // devices with events

  CallTreeBuilder tree_;
  std::vector<CallPlace> places_;
  std::map<std::tuple<StringId, StringId, uint32_t, NodeKind>, uint32_t> place_numbers_;
  std::unordered_map<uint32_t, NodeIndex> stacks_;  // by list of frames
  MetricIndex allocated_ = 0;
  MetricIndex allocations_ = 0;
  MetricIndex at_peak_ = 0;
  MetricIndex at_end_ = 0;
};

}  // namespace

bool is_snapshot(const Input& input) {
  const std::string_view head = input.head;
  return head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5 &&
         (head.find("segments") != std::string_view::npos || head.find("device_traces") != std::string_view::npos);
}

Run read_snapshot(const Input& input, const ReadOptions&) {
  Run run;
  run.file = input.path;
  run.format = "torch-memory";
  run.format_version = "snapshot";
  if (!input.source) throw Error(input.path, "is a folder; name the snapshot in it");
  Reader(input, run).read();
  if (!input.source->damage().empty()) run.notes.add("truncated_input", 1, input.source->damage(), true);
  run.input_bytes = input.source->stored_bytes();
  run.text_bytes = input.source->text_position();
  return run;
}

}  // namespace cgpu::torch_memory
