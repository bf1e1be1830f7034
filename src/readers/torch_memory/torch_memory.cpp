#include "readers/torch_memory/torch_memory.h"

#include <set>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "readers/common/input.h"
#include "readers/common/pickle.h"
#include "readers/torch_memory/snapshot_builder.h"
#include "readers/torch_memory/snapshot_database.h"

namespace cgpu::torch_memory {

namespace {

class Reader {
 public:
  Reader(const Input& input, Run& run)
      : path_(input.path), run_(run), into_(run), pickle_(read_pickle(*input.source, run.notes)) {}

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
    read_overflows(root);
    add_facts(root);
    into_.finish();
    run_.notes.add("refused_object", pickle_.refused(),
                   "objects of classes in the pickle were passed over: nothing in it is executed");
    if (!pickle_.damage().empty()) run_.notes.add("truncated_input", 1, pickle_.damage(), true);
    if (const auto place = pickle_.trailing()) note_trailing_data(run_.notes, *place);
  }

 private:
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
      into_.add_segment(number(segment, "device"), number(segment, "allocated_size"), number(segment, "total_size"));
    }
  }

  /// For each device, whether its ring of events was full.
  void read_overflows(const PickleValue& root) {
    const PickleValue* overflowed = pickle_.find(root, "trace_alloc_overflowed");
    const PickleValue* limits = pickle_.find(root, "trace_alloc_max_entries");
    if (overflowed == nullptr) return;
    const std::vector<PickleValue>& devices = pickle_.elements(*overflowed);
    for (size_t device = 0; device < devices.size() && device < kMostDevices; ++device) {
      if (pickle_.integer(devices[device]).value_or(0) == 0 || !into_.has_trace(static_cast<int32_t>(device))) continue;
      std::optional<int64_t> most;
      if (limits != nullptr && device < pickle_.elements(*limits).size()) {
        most = pickle_.integer(pickle_.elements(*limits)[device]);
      }
      into_.note_overflow(device, most);
    }
  }

  void read_traces(const PickleValue& traces) {
    const std::vector<PickleValue>& devices = pickle_.elements(traces);
    for (const PickleValue& trace : devices) {
      const std::vector<PickleValue>& events = pickle_.elements(trace);
      if (!events.empty() && number(events.front(), "time_us")) into_.set_timed(true);
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
  }

  void read_trace(const PickleValue& trace, int32_t device) {
    std::vector<SnapshotEvent> events;
    for (const PickleValue& record : pickle_.elements(trace)) {
      const auto place = static_cast<int64_t>(events.size());
      auto event = into_.event_of({text(record, "action"), number(record, "size"), number(record, "addr"),
                                   into_.timed() ? number(record, "time_us") : std::optional(place)});
      if (!event) continue;
      if (event->action == Action::allocate) event->node = node_of(record);
      events.push_back(*event);
    }
    into_.add_trace(events, device, pickle_.damage().empty());
  }

  /// The node of the stack of an event; stacks that are one list in the pickle are walked once.
  NodeIndex node_of(const PickleValue& event) {
    const PickleValue* frames = pickle_.find(event, "frames");
    if (frames == nullptr || pickle_.elements(*frames).empty()) return 0;
    const auto [at, added] = stacks_.try_emplace(frames->index, 0);
    if (!added) return at->second;
    std::vector<SnapshotFrame> stack;  // the innermost first
    for (const PickleValue& frame : pickle_.elements(*frames)) {
      stack.push_back({text(frame, "name"), text(frame, "filename"), number(frame, "line").value_or(0)});
    }
    return at->second = into_.node_of(stack);
  }

  const std::string& path_;
  Run& run_;
  SnapshotBuilder into_;
  Pickle pickle_;
  std::unordered_map<uint32_t, NodeIndex> stacks_;  // by list of frames
};

}  // namespace

bool is_snapshot(const Input& input) {
  const std::string_view head = input.head;
  if (is_snapshot_database(input)) return true;
  return head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5 &&
         (head.find("segments") != std::string_view::npos || head.find("device_traces") != std::string_view::npos);
}

Run read_snapshot(const Input& input, const ReadOptions&) {
  Run run = new_run(input.path, "torch-memory");
  run.format_version = "snapshot";
  if (is_snapshot_database(input)) {
    run.format_version = "snapshot database";
    read_snapshot_database(input, run);
    return run;
  }
  Reader(input, run).read();
  add_source(*input.source, run);
  return run;
}

}  // namespace cgpu::torch_memory
