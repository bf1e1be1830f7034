#include "tiles/run_facts.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "analysis/session_clock.h"
#include "base/threads.h"
#include "kernels/kernel_class.h"
#include "tiles/ops_by_start.h"

namespace cgpu {

namespace {

/// Slices that one task looks at: about a millisecond.
constexpr SliceIndex kPiece = 1 << 18;

/// A stream on which nothing ran (only waits were recorded there) belongs to the device of its process, if that has
/// just one.
void find_devices_of_idle_streams(const Timeline& timeline, std::vector<std::optional<int32_t>>& device_of) {
  std::map<std::string, std::set<int32_t>> devices_of_process;
  const auto is_stream = [&](TrackIndex track) { return timeline.tracks[track].kind == TrackKind::device_stream; };
  for (TrackIndex track = 0; track < timeline.tracks.size(); ++track) {
    if (is_stream(track) && device_of[track]) {
      devices_of_process[timeline.tracks[track].process].insert(*device_of[track]);
    }
  }
  for (TrackIndex track = 0; track < timeline.tracks.size(); ++track) {
    if (!is_stream(track) || device_of[track]) continue;
    const auto known = devices_of_process.find(timeline.tracks[track].process);
    if (known != devices_of_process.end() && known->second.size() == 1) device_of[track] = *known->second.begin();
  }
}

std::set<int32_t> devices_with_memory(const Timeline& timeline) {
  std::set<int32_t> devices;
  for (const MemoryEvent& event : timeline.memory) {
    if (event.total_allocated >= 0) devices.insert(event.device);
  }
  return devices;
}

}  // namespace

SliceFacts::SliceFacts(const Timeline& timeline, SliceIndex begin, SliceIndex end)
    : extent(extent_of(timeline, begin, end)), parts(timeline.tracks.size()) {
  const SliceKinds kinds = timeline.kinds();
  const auto tracks = timeline.slices.track.values();
  for (SliceIndex slice = begin; slice < end; ++slice) {
    const SliceKind kind = kinds[slice];
    annotations = annotations || kind == SliceKind::annotation;
    projected = projected || kind == SliceKind::device_annotation;
    const TrackIndex track = tracks[slice];
    PartFacts& part = parts[track][static_cast<size_t>(part_of(timeline, track, kind))];
    if (part.slices++ == 0) part.first = slice;
    part.last = slice;
  }
}

void SliceFacts::merge(const SliceFacts& other) {
  if (!extent) {
    extent = other.extent;
  } else if (other.extent) {
    extent = Interval{std::min(extent->begin, other.extent->begin), std::max(extent->end, other.extent->end)};
  }
  for (size_t track = 0; track < parts.size(); ++track) {
    for (size_t i = 0; i < parts[track].size(); ++i) {
      PartFacts& part = parts[track][i];
      const PartFacts& more = other.parts[track][i];
      part = {part.slices + more.slices, std::min(part.first, more.first), std::max(part.last, more.last)};
    }
  }
  annotations = annotations || other.annotations;
  projected = projected || other.projected;
}

namespace {

bool is_product(KernelClass kernel_class) {
  return kernel_class == KernelClass::gemm || kernel_class == KernelClass::moe_gemm ||
         kernel_class == KernelClass::convolution;
}

}  // namespace

OpFacts::OpFacts(const Timeline& timeline) : device_of(timeline.tracks.size()) {
  for (auto& [device, ops] : ops_by_start(timeline)) devices[device].ops = std::move(ops);
  const DeviceOps& ops = timeline.device_ops;
  auto device = devices.end();  // of the previous op, which mostly has the same device
  for (OpIndex op = 0; op < ops.size(); ++op) {
    const SliceIndex slice = ops.slice[op];
    in_file_order = in_file_order && (op == 0 || ops.slice[op - 1] <= slice);
    device_of[timeline.slices.track[slice]] = ops.device[op];
    if (!is_plausible(timeline, slice)) continue;
    if (device == devices.end() || device->first != ops.device[op]) device = devices.find(ops.device[op]);
    DeviceFacts& facts = device->second;
    facts.launched = facts.launched || timeline.slices.launch[slice] != kNone;
    facts.communication = facts.communication || ops.kind[op] == OpKind::communication;
    facts.products = facts.products || is_product(static_cast<KernelClass>(ops.kernel_class[op]));
  }
  find_devices_of_idle_streams(timeline, device_of);
}

std::vector<RunFacts> find_facts(const SessionFacts& session, unsigned threads) {
  std::vector<RunFacts> facts(session.session().runs.size());
  std::vector<std::function<void()>> work;
  std::mutex mutex;  // guards RunFacts::slices
  for (size_t i = 0; i < facts.size(); ++i) {
    const Timeline& timeline = session.run(i).timeline;
    RunFacts& run = facts[i];
    run.slices = SliceFacts(timeline, 0, 0);
    run.memory = devices_with_memory(timeline);
    work.emplace_back([&, i] { run.steps = !session.steps(i).empty(); });
    work.emplace_back([&] { run.ops = OpFacts(timeline); });
    work.emplace_back([&] { run.events = extent_of_events(timeline); });
    const auto count = static_cast<SliceIndex>(timeline.slices.size());
    for (SliceIndex begin = 0; begin < count; begin += std::min(kPiece, count - begin)) {
      work.emplace_back([&, begin, count] {
        const SliceFacts found(timeline, begin, begin + std::min(kPiece, count - begin));
        const std::lock_guard lock(mutex);
        run.slices.merge(found);
      });
    }
  }
  for_each_in_parallel(threads, work.size(), [&](size_t i) { work[i](); });
  return facts;
}

}  // namespace cgpu
