#include "readers/trace_event/device_work.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/contains.h"
#include "base/parse_number.h"
#include "readers/common/xla_names.h"
#include "readers/trace_event/op_kinds.h"
#include "readers/trace_event/rpd_trace.h"

namespace cgpu::trace_event {

namespace {

/// What the slices of a track are.
struct Row {
  bool of_device = false;
  bool ops = false;  // what kept the device busy; else the same by module, step or operation
  int32_t device = 0;
  int64_t stream = -1;
};

/// "Stream #13(Compute)": 13.
int64_t stream_of(const Track& track, size_t row) {
  const size_t mark = track.thread_name.find('#');
  int64_t number = static_cast<int64_t>(row);
  const std::string& digits = mark == std::string::npos ? track.thread : track.thread_name;
  const size_t first = mark == std::string::npos ? 0 : mark + 1;
  std::from_chars(digits.data() + first, digits.data() + digits.size(), number);
  return number;
}

/// The rows of the devices in a trace of XLA, by track; none where it has no device.
std::vector<Row> xla_rows(Run& run) {
  const std::vector<Track>& tracks = run.timeline.tracks;
  std::map<std::string, std::vector<TrackIndex>> processes;
  for (TrackIndex i = 0; i < tracks.size(); ++i) {
    if (xla::device_process_of(tracks[i].process_name)) processes[tracks[i].process].push_back(i);
  }
  if (processes.empty()) return {};
  // TensorFlow shows every stream of a device, and all of them once more as one.
  const auto is_sum = [&](TrackIndex i) { return contains(tracks[i].process_name, "/stream:all"); };
  const bool has_sum =
      std::any_of(processes.begin(), processes.end(), [&](const auto& one) { return is_sum(one.second[0]); });
  std::vector<Row> rows(tracks.size());
  for (const auto& [process, members] : processes) {
    const xla::DeviceProcess device = *xla::device_process_of(tracks[members[0]].process_name);
    const bool repeated = has_sum && contains(tracks[members[0]].process_name, "/stream:") && !is_sum(members[0]);
    std::vector<std::string> names;
    for (const TrackIndex track : members) names.push_back(tracks[track].thread_name);
    const std::vector<bool> ops = xla::find_op_rows(names);
    for (size_t i = 0; i < members.size(); ++i) {
      rows[members[i]] = {true, ops[i] && !repeated, device.number, stream_of(tracks[members[i]], i)};
    }
    const bool known = std::any_of(run.devices.begin(), run.devices.end(),
                                   [&](const Device& other) { return other.id == device.number; });
    if (!known && !device.name.empty()) {
      Device made;
      made.id = device.number;
      made.name = device.name;
      if (contains(made.name, "NVIDIA")) made.vendor = "NVIDIA";
      run.devices.push_back(std::move(made));
    }
  }
  return rows;
}

void find_xla_devices(Run& run) {
  Timeline& timeline = run.timeline;
  const std::vector<Row> rows = xla_rows(run);
  if (rows.empty()) return;
  OpKinds work(timeline);
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    const Row& row = rows[timeline.slices.track[slice]];
    const std::string_view name = timeline.name(slice);
    if (row.of_device && !row.ops) {
      work.set_kind(slice, SliceKind::device_annotation);
    } else if (row.of_device) {
      const SliceKind kind = xla::kind_of_device_event(name);
      work.add_op(slice, kind, row.device, row.stream, kind == SliceKind::memcpy ? xla::copy_of(name) : CopyKind::none);
    } else if (is_correlation(timeline.slices.correlation[slice])) {
      work.set_kind(slice, SliceKind::driver_call);  // the call that launched what has this id
    }
  }
}

/// What an event of IBM's AIU is, by the end of its name: "add_11 Cmpt Exec", "SenRdmaSend_7 [sync=...] DmaO".
std::optional<std::pair<SliceKind, CopyKind>> aiu_event_of(std::string_view name) {
  if (name.ends_with(" Cmpt Exec")) return std::pair(SliceKind::kernel, CopyKind::none);
  if (name.ends_with(" Cmpt Prep")) return std::pair(SliceKind::device_annotation, CopyKind::none);
  const bool in = name.ends_with(" DmaI");
  if (!in && !name.ends_with(" DmaO")) return std::nullopt;
  if (contains(name, "SenRdma")) return std::pair(SliceKind::device_collective, CopyKind::none);
  return std::pair(SliceKind::memcpy, in ? CopyKind::HtoD : CopyKind::DtoH);
}

void find_aiu_work(Run& run) {
  Timeline& timeline = run.timeline;
  const Slices& slices = timeline.slices;
  const auto is_compute = [&](StringId id) { return timeline.names[id].ends_with(" Cmpt Exec"); };
  bool found = false;
  for (StringId id = 0; id < timeline.names.size() && !found; ++id) found = is_compute(id);
  if (!found) return;
  OpKinds work(timeline);
  std::map<std::string, std::map<TrackIndex, int64_t>> streams;  // of each card, numbered as they come
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    const auto what = aiu_event_of(timeline.name(slice));
    if (!what) continue;
    if (!is_device_op(what->first)) {
      work.set_kind(slice, what->first);
      continue;
    }
    const Track& track = timeline.tracks[slices.track[slice]];
    int32_t card = -1;
    std::from_chars(track.process.data(), track.process.data() + track.process.size(), card);
    auto& numbers = streams[track.process];
    const auto next = static_cast<int64_t>(numbers.size());
    const int64_t stream = numbers.try_emplace(slices.track[slice], next).first->second;
    work.add_op(slice, what->first, std::max(card, -1), stream, what->second);
  }
}

/// Converters of Nsight Systems' exports write a process "Device 0" for each device: its work, of the category "cuda"
/// or on rows "Stream 7", and what the threads did that use it.
void find_work_of_device_processes(Timeline& timeline) {
  std::vector<std::optional<int32_t>> devices;  // by track, as the streams
  std::vector<std::optional<int64_t>> streams;
  for (const Track& track : timeline.tracks) {
    devices.push_back(number_behind<int32_t>("Device ", track.process));
    streams.push_back(number_behind("Stream ", track.thread));
  }
  if (std::none_of(devices.begin(), devices.end(), [](const auto& device) { return device.has_value(); })) return;
  const bool has_ops = timeline.device_ops.size() > 0;  // by categories
  OpKinds work(timeline);
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    const TrackIndex track = timeline.slices.track[slice];
    if (!devices[track]) continue;
    const std::string_view category = timeline.categories[timeline.slices.category[slice]].name;
    const std::optional<int64_t>& stream = streams[track];
    if (category == "nvtx") {
      work.set_kind(slice, SliceKind::annotation);
    } else if (category == "nvtx-kernel") {
      work.set_kind(slice, SliceKind::device_annotation);  // a range over the kernels that it launched
    } else if (category == "cuda_api") {
      work.set_kind(slice, SliceKind::runtime_call);
    } else if (!has_ops && (stream || category == "cuda")) {
      const std::string_view name = timeline.name(slice);
      const SliceKind kind = xla::kind_of_device_event(name);
      work.add_op(slice, kind, *devices[track], stream.value_or(-1),
                  kind == SliceKind::memcpy ? xla::copy_of(name) : CopyKind::none);
    }
  }
}

/// Sessions of ONNX Runtime are ranges, of which "model_run" is one inference; nodes are the ops of its graph.
void read_onnx_runtime(Timeline& timeline) {
  std::vector<Category>& categories = timeline.categories;
  const auto has = [&](std::string_view name) {
    return std::any_of(categories.begin(), categories.end(), [&](const Category& one) { return one.name == name; });
  };
  if (!has("Session")) return;
  bool known = false;
  for (StringId id = 0; id < timeline.names.size() && !known; ++id) {
    const std::string_view name = timeline.names[id];
    known = name == "model_run" || name == "session_initialization" || name.starts_with("model_loading");
  }
  if (!known) return;
  for (Category& category : categories) {
    if (category.name == "Session") category.kind = SliceKind::annotation;
    if (category.name == "Node") category.kind = SliceKind::framework_op;
  }
}

}  // namespace

void find_device_work(const Parts& parts, Run& run) {
  const auto found = [&] { return run.timeline.device_ops.size() > 0; };
  read_onnx_runtime(run.timeline);
  find_work_of_device_processes(run.timeline);
  if (!found()) find_xla_devices(run);
  if (!found()) read_rpd_trace(parts, run);
  if (!found()) find_aiu_work(run);
}

}  // namespace cgpu::trace_event
