#include "readers/ascend/trace.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/parse_number.h"
#include "readers/ascend/assembler.h"
#include "readers/ascend/event_reader.h"
#include "readers/ascend/names.h"

namespace cgpu::ascend {

namespace {

/// A process of the trace, by its name.
enum class Layer : uint8_t { none, framework, garbage, marks, system, runtime, hardware, communication, derived };

Layer layer_named(std::string_view process) {
  if (process == "Python") return Layer::framework;
  if (process == "Python GC") return Layer::garbage;
  if (process == "MsTx" || process == "MSTX" || process == "Framework") return Layer::marks;
  if (process == "OS Runtime API") return Layer::system;
  if (process == "CANN") return Layer::runtime;
  if (process.starts_with("Ascend Hardware")) return Layer::hardware;
  if (process == "Communication" || process == "HCCL") return Layer::communication;
  if (process.starts_with("Overlap Analysis")) return Layer::derived;
  return Layer::none;
}

bool is_on_host(Layer layer) {
  return layer >= Layer::framework && layer <= Layer::runtime;
}

/// The lowest five bits of a process id that the profiler made up are the device: pid << 10 | layer << 5 | device.
int32_t device_of(const std::string& process) {
  constexpr int64_t kDeviceMask = 0x1f;
  return static_cast<int32_t>(parse_number(process).value_or(0) & kDeviceMask);
}

class Layers {
 public:
  Layers(Run& run, TextSource& source, const Facts& facts)
      : run_(run), timeline_(run.timeline), assembler_(run), events_(source), facts_(facts) {
    for (const Track& track : timeline_.tracks) layers_.push_back(layer_named(track.process_name));
  }

  bool any() const {
    return std::any_of(layers_.begin(), layers_.end(), [](Layer layer) { return layer > Layer::system; });
  }

  void apply() {
    name_tracks();
    for (SliceIndex slice = 0; slice < timeline_.slices.size(); ++slice) read(slice);
    give_streams();
    leave_to_flows();
    for (const auto& [id, ends] : queue_) {
      if (ends.from != kNone && ends.to != kNone) timeline_.hints.handovers.push_back({ends.from, ends.to});
    }
    run_.notes.add("damaged_input", unread_,
                   "calls and device tasks whose arguments cannot be read were kept without them", true);
    join_threads();
    drop_empty_tracks();
    fold_counters();
    assembler_.finish();
  }

 private:
  void read(SliceIndex slice) {
    switch (layers_[timeline_.slices.track[slice]]) {
      case Layer::framework:
        return read_framework(slice);
      case Layer::garbage:
        return set_kind(slice, "gc", SliceKind::annotation);
      case Layer::marks:
        return set_kind(slice, "mstx", SliceKind::annotation);
      case Layer::system:
        return set_kind(slice, "os runtime", SliceKind::os_call);
      case Layer::runtime:
        return read_call(slice);
      case Layer::hardware:
        return read_task(slice);
      case Layer::communication:
        return read_communication(slice);
      case Layer::derived:
        return set_kind(slice, "overlap analysis", SliceKind::other);
      case Layer::none:
        return;
    }
  }

  void read_framework(SliceIndex slice) {
    const Category& category = timeline_.categories[timeline_.slices.category[slice]];
    if (category.kind == SliceKind::framework_op && is_range(timeline_.name(slice))) {
      return set_kind(slice, "range", SliceKind::annotation);
    }
    const bool in = category.name == "enqueue";
    if (!in && category.name != "dequeue") return;
    set_kind(slice, std::string(category.name), SliceKind::runtime_call);
    read_arguments(slice);
    if (arguments_.queue == EventArguments::kAbsent) return;
    SliceIndex& end = in ? queue_[arguments_.queue].from : queue_[arguments_.queue].to;
    if (end == kNone) end = slice;
  }

  /// "AscendCL@aclrtMemcpyAsync", "Node@launch", "Runtime@KernelLaunch", ...
  void read_call(SliceIndex slice) {
    const std::string_view name = timeline_.name(slice);
    const std::string level(name.substr(0, std::min(name.find('@'), name.size())));
    set_kind(slice, level, level == "Runtime" ? SliceKind::driver_call : SliceKind::runtime_call);
    read_arguments(slice);
    if (arguments_.connection != EventArguments::kAbsent) {
      timeline_.slices.correlation[slice] = arguments_.connection;
      calls_.insert(arguments_.connection);
    }
  }

  void read_task(SliceIndex slice) {
    read_arguments(slice);
    const std::string type(arguments_.task_type);
    const SliceKind kind = kind_of_task(type, timeline_.name(slice));
    set_kind(slice, type.empty() ? "task" : type, kind);
    const Track& track = timeline_.tracks[timeline_.slices.track[slice]];
    const int64_t stream = parse_number(track.thread).value_or(-1);
    if (arguments_.connection != EventArguments::kAbsent) {
      timeline_.slices.correlation[slice] = arguments_.connection;
      stream_of_connection_.try_emplace(arguments_.connection, stream);
    }
    const int32_t device = device_of(track.process);
    if (kind == SliceKind::synchronization) {
      assembler_.add_synchronization(slice, type, timeline_.name(slice), device, stream);
    }
    if (!is_device_op(kind)) return;
    DeviceOp op;
    op.slice = slice;
    op.device = device;
    op.stream = stream;
    if (kind == SliceKind::memcpy) op.copy = copy_kind_of(arguments_.operation);
    if (kind == SliceKind::memset) op.copy = CopyKind::memset;
    if (arguments_.bytes >= 0 && kind != SliceKind::kernel) op.bytes = arguments_.bytes;
    assembler_.add_device_op(op);
  }

  /// A collective on the row of its group; what it consists of on the rows of the planes, and again as device tasks.
  void read_communication(SliceIndex slice) {
    const Track& track = timeline_.tracks[timeline_.slices.track[slice]];
    if (!track.thread_name.starts_with("Group")) return set_kind(slice, "communication task", SliceKind::other);
    set_kind(slice, "communication", SliceKind::device_collective);
    read_arguments(slice);
    if (arguments_.connection != EventArguments::kAbsent) {
      timeline_.slices.correlation[slice] = arguments_.connection;
    }
    const std::string name(timeline_.name(slice));
    GroupLabel group = facts_.group_of(name);
    if (group.size < 0 && arguments_.rank_size > 0 && arguments_.rank_size < INT32_MAX) {
      group.size = static_cast<int32_t>(arguments_.rank_size);
    }
    DeviceOp op;
    op.slice = slice;
    op.device = device_of(track.process);
    collectives_.push_back({timeline_.device_ops.size(), group.text});
    assembler_.add_device_op(op);
    assembler_.add_collective(slice, {name, group, arguments_.data_type, arguments_.count});
  }

  void read_arguments(SliceIndex slice) {
    if (!events_.read(timeline_.slices.source[slice], arguments_)) ++unread_;
  }

  void set_kind(SliceIndex slice, const std::string& category, SliceKind kind) {
    if (last_category_.name != category || last_category_.kind != kind) {
      last_category_ = {category, kind};
      last_number_ = assembler_.category(category, kind);
    }
    timeline_.slices.category[slice] = last_number_;
  }

  /// At level 0 the calls that have the tasks' connection ids are not recorded: the flows lead to those around them.
  void leave_to_flows() {
    if (timeline_.hints.flows.empty()) return;
    for (const SliceIndex op : timeline_.device_ops.slice) {
      auto correlation = timeline_.slices.correlation[op];
      if (calls_.count(correlation) == 0) correlation = kNoCorrelation;
    }
  }

  /// A collective runs on the stream of the tasks that it consists of, which share its connection id.
  void give_streams() {
    for (const auto& [op, group] : collectives_) {
      const int64_t connection = timeline_.slices.correlation[timeline_.device_ops.slice[op]];
      const auto found = stream_of_connection_.find(connection);
      timeline_.device_ops.stream[op] =
          found != stream_of_connection_.end() ? found->second : assembler_.stream_of_group(group);
    }
  }

  void name_tracks() {
    for (TrackIndex i = 0; i < timeline_.tracks.size(); ++i) {
      Track& track = timeline_.tracks[i];
      if (is_on_host(layers_[i])) track.kind = TrackKind::host_thread;
      const bool group = layers_[i] == Layer::communication && track.thread_name.starts_with("Group");
      if (layers_[i] == Layer::hardware || group) track.kind = TrackKind::device_stream;
    }
  }

  /// The profiler writes the layers of one thread as processes of their own: a thread's calls go to where its framework
  /// ops are, so that they nest.
  void join_threads() {
    std::unordered_map<std::string, TrackIndex> threads;
    for (TrackIndex i = 0; i < timeline_.tracks.size(); ++i) {
      if (layers_[i] == Layer::framework) threads.try_emplace(timeline_.tracks[i].thread, i);
    }
    std::vector<TrackIndex> joined;
    for (TrackIndex i = 0; i < timeline_.tracks.size(); ++i) {
      const auto found = threads.find(timeline_.tracks[i].thread);
      joined.push_back(is_on_host(layers_[i]) && found != threads.end() ? found->second : i);
    }
    renumber(joined);
  }

  void drop_empty_tracks() {
    std::vector<bool> used(timeline_.tracks.size());
    for (const TrackIndex track : timeline_.slices.track) used[track] = true;
    for (const Instant& instant : timeline_.instants) {
      if (instant.track != kNone) used[instant.track] = true;
    }
    for (const LinkHints::Flow& flow : timeline_.hints.flows) used[flow.track] = true;
    std::vector<TrackIndex> numbers(timeline_.tracks.size(), kNone);
    std::vector<Track> kept;
    for (TrackIndex i = 0; i < timeline_.tracks.size(); ++i) {
      if (!used[i]) continue;
      numbers[i] = static_cast<TrackIndex>(kept.size());
      kept.push_back(std::move(timeline_.tracks[i]));
    }
    timeline_.tracks = std::move(kept);
    renumber(numbers);
  }

  void renumber(const std::vector<TrackIndex>& numbers) {
    timeline_.slices.track.replace_each([&](TrackIndex track) { return numbers[track]; });
    for (Instant& instant : timeline_.instants) {
      if (instant.track != kNone) instant.track = numbers[instant.track];
    }
    for (LinkHints::Flow& flow : timeline_.hints.flows) flow.track = numbers[flow.track];
  }

  /// Counters of the accelerators say in a second value, `acc_id`, whose first value it is.
  void fold_counters() {
    Counters& counters = timeline_.counters;
    Counters folded;
    std::unordered_map<std::string, uint32_t> tracks;
    const auto ends_with = [&](uint32_t track, std::string_view ending) {
      return counters.tracks[track].name.ends_with(ending);
    };
    for (size_t i = 0; i < counters.track.size(); ++i) {
      const CounterTrack& track = counters.tracks[counters.track[i]];
      const int32_t device = device_of(track.process);
      std::string name = track.name;
      const bool pair = i + 1 < counters.track.size() && ends_with(counters.track[i], " value") &&
                        ends_with(counters.track[i + 1], " acc_id") && counters.time[i] == counters.time[i + 1] &&
                        counters.value[i + 1] >= 0 && counters.value[i + 1] < 1e6;
      if (pair) {
        name.replace(name.size() - 5, 5,
                     "of accelerator " + std::to_string(static_cast<int64_t>(counters.value[i + 1])));
      }
      const auto [at, added] =
          tracks.try_emplace(track.process + '\n' + name, static_cast<uint32_t>(folded.tracks.size()));
      if (added) folded.tracks.push_back({"NPU " + std::to_string(device), std::move(name)});
      folded.track.push_back(at->second);
      folded.time.push_back(counters.time[i]);
      folded.value.push_back(counters.value[i]);
      if (pair) ++i;
    }
    counters = std::move(folded);
  }

  struct Queued {
    SliceIndex from = kNone;
    SliceIndex to = kNone;
  };
  struct OpenCollective {
    size_t op;
    std::string group;
  };

  Run& run_;
  Timeline& timeline_;
  Assembler assembler_;
  EventReader events_;
  const Facts& facts_;
  std::vector<Layer> layers_;  // of each track
  EventArguments arguments_;
  int64_t unread_ = 0;
  Category last_category_{"", SliceKind::profiler_span};
  uint16_t last_number_ = 0;
  std::unordered_set<int64_t> calls_;  // connection ids
  std::unordered_map<int64_t, Queued> queue_;
  std::unordered_map<int64_t, int64_t> stream_of_connection_;
  std::vector<OpenCollective> collectives_;
};

}  // namespace

Run read_trace(std::shared_ptr<TextSource> source, const std::string& file, const Facts& facts,
               const ReadOptions& options, TraceEventReader read_trace_events) {
  Run run = read_trace_events(source, file, options);
  Layers layers(run, *source, facts);
  // A trace that already has device ops comes from another profiler.
  if (!layers.any() || run.timeline.device_ops.size() > 0) return run;
  run.format = "ascend";
  apply(facts, run);
  layers.apply();
  return run;
}

}  // namespace cgpu::ascend
