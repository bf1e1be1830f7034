// How cgpu's own exports say what their formats have no field for, so that they are read back as what they were.
// Written by export/, read by the own_export.h of readers/perfetto/ and readers/trace_event/; docs/formats/perfetto.md
// and chrome.md, "What cgpu writes".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "model/timeline.h"

namespace cgpu::export_marks {

/// Trace attributes. The first packet has the first two, each run's first packet has the third: a JSON object.
inline constexpr std::string_view kVersionKey = "cgpu_export";
inline constexpr std::string_view kRunsKey = "cgpu_runs";
inline constexpr std::string_view kRunKey = "cgpu_run";
inline constexpr int64_t kVersion = 1;

/// In JSON the first two of these are beside the events and kRunKey is the name of a metadata event, before which the
/// events of a run begin. Behind all events is where in the file these metadata events begin.
inline constexpr std::string_view kRunPositionsKey = "cgpu_run_positions";
/// Members of that event's arguments: which run it is, from 0; run_description.h; for each track of the run the process
/// and the threads that its events are written under; for each counter the process and the name; and the profile's own
/// category of the slices that are written with a category, where it is another one.
inline constexpr std::string_view kRunNumberMember = "run";
inline constexpr std::string_view kDescriptionMember = "description";
inline constexpr std::string_view kTracksMember = "tracks";
inline constexpr std::string_view kCountersMember = "counters";
inline constexpr std::string_view kCategoriesMember = "categories";
/// Members of a slice: the profile's own category where that is not what kCategoriesMember says, SliceFlags, and the
/// correlation id where arguments do not have it.
inline constexpr std::string_view kOwnCategory = "cgpu_category";
inline constexpr std::string_view kFlags = "cgpu_flags";
inline constexpr std::string_view kCorrelation = "cgpu_correlation";
/// Whether slices of this kind have their correlation id in their arguments.
inline bool has_correlation_argument(SliceKind kind) {
  return is_call(kind) || is_device_op(kind) || kind == SliceKind::synchronization;
}

/// Sequences of packets: that of the whole trace, and that of the run with this index.
inline constexpr uint64_t kHeaderSequence = 1;
inline constexpr uint64_t sequence_of_run(size_t run) {
  return kHeaderSequence + 1 + run;
}

/// The number of a track in Perfetto's sense: what it is, whose, which, and which of the lanes that it is written in.
struct TrackNumber {
  enum class What : uint8_t {
    derived,    // headings, and what cgpu computes
    slices,     // of Timeline::tracks[index]
    counter,    // Counters::tracks[index]
    allocator,  // the events of the allocator
    instants,   // those on no track
  };
  What what = What::derived;
  uint32_t run = 0;
  uint32_t index = 0;
  uint32_t lane = 0;

  static constexpr unsigned kLaneBits = 22;
  static constexpr unsigned kIndexBits = 24;
  static constexpr unsigned kRunBits = 14;

  constexpr uint64_t uuid() const {
    return uint64_t{static_cast<uint8_t>(what)} << (kLaneBits + kIndexBits + kRunBits) |
           uint64_t{run} << (kLaneBits + kIndexBits) | uint64_t{index} << kLaneBits | lane;
  }
  static constexpr TrackNumber of(uint64_t uuid) {
    const auto bits = [&](unsigned from, unsigned count) {
      return static_cast<uint32_t>(uuid >> from & ((uint64_t{1} << count) - 1));
    };
    return {static_cast<What>(uuid >> (kLaneBits + kIndexBits + kRunBits)), bits(kLaneBits + kIndexBits, kRunBits),
            bits(kLaneBits, kIndexBits), bits(0, kLaneBits)};
  }
};

/// What an arrow stands for: the high bits of a flow's number.
enum class FlowKind : uint8_t {
  none,
  launch,            // from the call to its device op, or to the wait that it began
  forward_backward,  // Link
  flow,              // Link
  handover,          // from the slice that put work into a queue to the one that took it out
  record,            // from the call that recorded an event to the wait for it
};
inline constexpr unsigned kFlowKindShift = 59;

/// The categories of arrows in JSON, by FlowKind: those of the PyTorch profiler, where it has one. An end of an arrow
/// is behind its slice.
inline constexpr std::array<std::string_view, 6> kFlowCategories{"", "ac2g", "fwdbwd", "flow", "handover", "record"};

/// The category of a slice's kind: what the PyTorch profiler writes, by which other tools recognise it. Behind it are
/// the profile's own category where that differs (kUnnamedCategory where it has none), kNeverEndedCategory, and
/// kClippedCategory.
inline constexpr std::array<std::pair<SliceKind, std::string_view>, 14> kCategories{{
    {SliceKind::framework_op, "cpu_op"},
    {SliceKind::annotation, "user_annotation"},
    {SliceKind::python_function, "python_function"},
    {SliceKind::runtime_call, "cuda_runtime"},
    {SliceKind::driver_call, "cuda_driver"},
    {SliceKind::os_call, "os_call"},
    {SliceKind::kernel, "kernel"},
    {SliceKind::memcpy, "gpu_memcpy"},
    {SliceKind::memset, "gpu_memset"},
    {SliceKind::device_collective, "collective_comm"},
    {SliceKind::device_annotation, "gpu_user_annotation"},
    {SliceKind::synchronization, "cuda_sync"},
    {SliceKind::overhead, "overhead"},
    {SliceKind::profiler_span, "Trace"},
}};
inline constexpr std::string_view kOtherCategory = "other";
inline constexpr std::string_view kUnnamedCategory = "cgpu.unnamed";  // the profile gives none
inline constexpr std::string_view kNeverEndedCategory = "cgpu.never_ended";
inline constexpr std::string_view kClippedCategory = "cgpu.clipped";

/// Empty for SliceKind::other.
inline std::string_view category_of(SliceKind kind) {
  for (const auto& [known, text] : kCategories) {
    if (known == kind) return text;
  }
  return {};
}
/// Empty for a text that stands for no kind.
inline std::optional<SliceKind> kind_of(std::string_view category) {
  if (category == kOtherCategory) return SliceKind::other;
  for (const auto& [kind, text] : kCategories) {
    if (text == category) return kind;
  }
  return std::nullopt;
}

/// The values of the argument "awaits", by Synchronization::Kind.
inline constexpr std::array<std::string_view, 6> kAwaited{"stream",       "device",      "event",
                                                          "stream_order", "stream_wait", "event_record"};

}  // namespace cgpu::export_marks
