// The timeline of a run: tracks, and on them slices, counters and instants, as columns.
//
// Slices are a structure of arrays in file order (the order matters: of two host slices with equal bounds the earlier
// in the file is the outer one). A slice costs 39 bytes and a device op 17 more, where
// numbers in it need more bits than most do up to 51 and 29. The other arguments of an event stay in
// the file and are read again when they are asked for (Run::arguments).
//
// Readers fill the columns of Slice and DeviceOp and the hints; cgpu::complete (links/) fills `parent`, `launch`, the
// kind and class of device ops, brings names into one spelling and releases the hints. Analyses only read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/string_pool.h"
#include "model/narrow_column.h"
#include "model/struct_of_arrays.h"

namespace cgpu {

using SliceIndex = uint32_t;
using TrackIndex = uint32_t;
inline constexpr uint32_t kNone = UINT32_MAX;         // no slice, no track
inline constexpr int64_t kNoCorrelation = INT64_MIN;  // the profile gives none
inline constexpr uint64_t kNoSource = UINT64_MAX;     // is nowhere in the profile: it has no arguments

/// Whether it joins a device op to its call. Profilers write 0 or -1 where there is nothing to join.
inline bool is_correlation(int64_t id) {
  return id != kNoCorrelation && id != 0 && id != -1;
}

/// What a slice is, whichever profiler wrote it.
enum class SliceKind : uint8_t {
  framework_op,       // aten::mm, autograd nodes, user modules recorded as ops
  annotation,         // record_function, NVTX, ProfilerStep#n on a host thread
  python_function,    // frame of the Python stack
  runtime_call,       // cudaLaunchKernel, hipMemcpyAsync, ...
  driver_call,        // cuLaunchKernelEx, ...
  os_call,            // poll, pthread_cond_wait, read, ...
  kernel,             // ran on a device
  memcpy,             // ran on a device
  memset,             // ran on a device
  device_collective,  // a collective that the device reports as such
  device_annotation,  // a host range projected onto a device: not work
  synchronization,    // a wait recorded on a device or host track: not work
  overhead,           // of the profiler itself
  profiler_span,      // the recording window and the like
  other,
};

inline constexpr size_t kSliceKinds = static_cast<size_t>(SliceKind::other) + 1;
const char* text_of(SliceKind kind);  // "framework_op", ...

/// A kernel, copy, memset or device collective: something that keeps a device busy.
inline bool is_device_op(SliceKind kind) {
  return kind == SliceKind::kernel || kind == SliceKind::memcpy || kind == SliceKind::memset ||
         kind == SliceKind::device_collective;
}
inline bool is_kernel(SliceKind kind) {
  return kind == SliceKind::kernel || kind == SliceKind::device_collective;
}
inline bool is_call(SliceKind kind) {
  return kind == SliceKind::runtime_call || kind == SliceKind::driver_call;
}
/// Slices that nest on a host thread.
inline bool is_host(SliceKind kind) {
  return kind == SliceKind::framework_op || kind == SliceKind::annotation || kind == SliceKind::python_function ||
         kind == SliceKind::os_call || is_call(kind);
}

/// A category as the profile writes it, and the kind of slice that it stands for.
struct Category {
  std::string name;
  SliceKind kind = SliceKind::other;
};

enum class TrackKind : uint8_t { host_thread, device_stream, other };

/// One row of a timeline: a thread of a process, or a stream (queue) of a device.
struct Track {
  TrackKind kind = TrackKind::other;
  std::string process;       // as written in the profile: "4711", "Spans", ...
  std::string thread;        // as written: "4711", "stream 7", ...
  std::string process_name;  // from metadata, may be empty
  std::string thread_name;
  std::optional<int64_t> rank = {};  // of the process, where one profile is of several ranks
  /// Names of the tracks that it is nested in below the process, outermost first.
  std::vector<std::string> above = {};
  /// Known of its host slices: all have plausible durations, and none overlaps another without one containing the other
  /// (links/nesting.h).
  bool nested = false;
  /// Its slices are samples of a call stack, whose places CallTree::sampled_nodes knows.
  bool sampled = false;
};

/// A slice as a reader appends it; what is not set is what the profile does not say.
struct Slice {
  int64_t start = 0;                     // ns on the run's clock
  int64_t duration = 0;                  // ns, >= 0
  int64_t correlation = kNoCorrelation;  // as in the profile
  uint64_t source = kNoSource;           // position in the uncompressed input, for Run::arguments
  StringId name = 0;                     // into Timeline::names
  TrackIndex track = kNone;
  uint16_t category = 0;  // into Timeline::categories
  uint8_t flags = 0;      // SliceFlag
};

/// Columns of equal length, one entry a slice. A new column is a vector here, a field of Slice, and a line in the list.
struct Slices : StructOfArrays<Slices, Slice> {
  std::vector<int64_t> start;
  std::vector<int64_t> duration;
  NarrowColumn<int64_t, kNoCorrelation, int32_t> correlation;
  NarrowColumn<uint64_t, kNoSource, uint32_t> source;
  NarrowColumn<StringId, 0, uint16_t> name;
  NarrowColumn<TrackIndex, kNone, uint16_t> track;
  std::vector<uint16_t> category;
  std::vector<uint8_t> flags;
  // Filled by links:
  /// The innermost host slice of the same thread that contains it. Of a slice that no other contains and that took its
  /// work out of a queue, the slice that put the work in. Else kNone.
  std::vector<SliceIndex> parent;
  /// The call that launched a device op or started a synchronization; kNone where the profile does not have it.
  std::vector<SliceIndex> launch;

  template <typename Visit>
  static void for_each_read_column(Visit visit) {
    visit(&Slices::start, &Slice::start);
    visit(&Slices::duration, &Slice::duration);
    visit(&Slices::correlation, &Slice::correlation);
    visit(&Slices::source, &Slice::source);
    visit(&Slices::name, &Slice::name);
    visit(&Slices::track, &Slice::track);
    visit(&Slices::category, &Slice::category);
    visit(&Slices::flags, &Slice::flags);
  }
  template <typename Visit>
  static void for_each_column(Visit visit) {
    for_each_read_column([&](auto column, auto) { visit(column); });
    visit(&Slices::parent);
    visit(&Slices::launch);
  }

  size_t size() const { return start.size(); }
  int64_t end(SliceIndex i) const { return start[i] + duration[i]; }
};

enum SliceFlag : uint8_t {
  kImplausibleTime = 1,  // cannot be (links/device_ops.h); kept, listed in notes, left out of totals
  kClipped = 2,          // cut at the border of a selected time window
  kNeverEnded = 4,       // the profile has no end of it: it lasts until the end of the profile
};

/// What a device op counts as in the tables (docs/definitions/device-time.md, "Device ops").
enum class OpKind : uint8_t { compute, communication, memory };

enum class CopyKind : uint8_t {
  none,
  HtoD,
  DtoH,
  DtoD,
  PtoP,
  HtoH,
  HtoA,
  AtoH,
  AtoA,
  AtoD,
  DtoA,
  memset,
  uvm_HtoD,
  uvm_DtoH,
  unknown
};
enum class MemoryKind : uint8_t {
  none,
  pageable,
  pinned,
  device,
  array,
  managed,
  device_static,
  managed_static,
  host,
  unknown
};
const char* text_of(CopyKind kind);    // "HtoD", ..., "Memset", "UVM HtoD"
const char* text_of(MemoryKind kind);  // "pageable", ...; "" for none

/// A device op as a reader appends it; what is not set is what the profile does not say.
struct DeviceOp {
  SliceIndex slice = kNone;
  int32_t device = -1;
  int64_t stream = -1;
  int64_t bytes = -1;  // of a copy or memset
  CopyKind copy = CopyKind::none;
  MemoryKind source = MemoryKind::none;
  MemoryKind destination = MemoryKind::none;
};

/// Columns of equal length, one entry a device op, in file order.
struct DeviceOps : StructOfArrays<DeviceOps, DeviceOp> {
  std::vector<SliceIndex> slice;
  NarrowColumn<int32_t, -1, int16_t> device;
  NarrowColumn<int64_t, -1, int16_t> stream;
  NarrowColumn<int64_t, -1, int32_t> bytes;
  std::vector<CopyKind> copy;
  std::vector<MemoryKind> source;
  std::vector<MemoryKind> destination;
  // Filled by links:
  std::vector<OpKind> kind;
  std::vector<uint8_t> kernel_class;  // KernelClass (kernels/kernel_class.h)

  template <typename Visit>
  static void for_each_read_column(Visit visit) {
    visit(&DeviceOps::slice, &DeviceOp::slice);
    visit(&DeviceOps::device, &DeviceOp::device);
    visit(&DeviceOps::stream, &DeviceOp::stream);
    visit(&DeviceOps::bytes, &DeviceOp::bytes);
    visit(&DeviceOps::copy, &DeviceOp::copy);
    visit(&DeviceOps::source, &DeviceOp::source);
    visit(&DeviceOps::destination, &DeviceOp::destination);
  }
  template <typename Visit>
  static void for_each_column(Visit visit) {
    for_each_read_column([&](auto column, auto) { visit(column); });
    visit(&DeviceOps::kind);
    visit(&DeviceOps::kernel_class);
  }

  size_t size() const { return slice.size(); }
};

/// What the profile says of one collective operation, or of one transfer between two ranks. An op of several transfers
/// (a batch of sends and receives) has as many.
struct Collective {
  SliceIndex slice = kNone;  // the device op
  StringId name = 0;         // recorded collective name ("allreduce"), 0 where absent
  StringId group = 0;        // process group name, else its ranks, 0 where absent
  StringId type = 0;         // element type
  int64_t elements_in = -1;  // -1 where absent
  int64_t elements_out = -1;
  int32_t group_size = -1;
  int64_t sequence = -1;
  // Of a transfer the rank that this one receives from, or that it sends to, as recorded; -1 where absent.
  int32_t from = -1;
  int32_t to = -1;
};

/// What the profile says of a slice of kind synchronization (links/waits.h).
struct Synchronization {
  enum class Kind : uint8_t {
    host_stream,   // the host waits until a stream has finished all work submitted to it
    host_device,   // the host waits until a device has finished all work submitted to it
    host_event,    // the host waits until a stream reaches a recorded event
    stream_order,  // the host tells a stream to wait for an event; the slice is the call, not the wait
    stream_wait,   // a stream waits for an event
    event_record,  // a stream reaches a recorded event
  };
  SliceIndex slice = kNone;
  Kind kind = Kind::host_stream;
  int32_t device = -1;        // the device that is waited for, or that has the event; -1 where the profile does not say
  int64_t stream = -1;        // likewise the stream
  SliceIndex record = kNone;  // the call that recorded the event; filled by links
};

/// One allocator event ("[memory]").
struct MemoryEvent {
  int64_t time = 0;   // ns
  int64_t bytes = 0;  // > 0 allocation, < 0 release
  int64_t total_allocated = -1;
  int64_t total_reserved = -1;
  int32_t device = -1;       // -1: host
  int64_t address = 0;       // 0 where the profile does not say
  TrackIndex track = kNone;  // the thread that asked for it; kNone where the profile does not say
};

struct CounterTrack {
  std::string process;
  std::string name;
};
/// Columns of equal length, one entry a sample.
struct Counters {
  std::vector<CounterTrack> tracks;
  std::vector<uint32_t> track;
  std::vector<int64_t> time;
  std::vector<double> value;
};

enum class InstantScope : uint8_t { thread, process, global };

struct Instant {
  int64_t time = 0;
  StringId name = 0;
  TrackIndex track = kNone;                   // the track that recorded it
  InstantScope scope = InstantScope::thread;  // what it applies to
};

/// A dependency between two slices, beyond launch and nesting.
struct Link {
  enum class Kind : uint8_t { forward_backward, flow };
  Kind kind = Kind::forward_backward;
  SliceIndex from = kNone;
  SliceIndex to = kNone;
};

/// Ids and arrows of the profile by which links/ joins slices; empty after cgpu::complete.
struct LinkHints {
  static constexpr int kProcessOfCorrelation = 32;  // bits of the id
  struct External {
    SliceIndex slice;
    int64_t id;  // "External id"
  };
  struct Sequence {
    SliceIndex slice;
    bool backward;   // it has a "Fwd thread id"
    int64_t number;  // "Sequence number"
  };
  /// One end of an arrow. Of a launch an end is left out that is where a call or device op begins and has its
  /// correlation id.
  struct Flow {
    int64_t id;
    int64_t time;
    TrackIndex track;
    bool start;
    bool forward_backward;  // else launch to device op
  };
  /// A slice that put work into a queue, and the slice of another thread that took it out.
  struct Handover {
    SliceIndex from;
    SliceIndex to;
  };
  /// The correlation id of the call that recorded an event.
  struct Record {
    uint32_t synchronization;  // place in Timeline::synchronizations
    int64_t correlation;
  };
  /// A device op whose launch call the profile names.
  struct Launch {
    SliceIndex call;
    SliceIndex op;
  };
  /// Sends and receives by the op of the host that asked for them, in the place of the device op.
  std::vector<Collective> transfers;
  std::vector<External> external;
  std::vector<Sequence> sequence;
  std::vector<Flow> flows;
  std::vector<Handover> handovers;
  std::vector<Record> records;
  std::vector<Launch> launches;
  /// Correlation ids repeat from process to process: the low kProcessOfCorrelation bits hold the id, the bits above it
  /// the number of its process.
  bool correlation_has_process = false;
  /// The profiler lists copies and memsets as such: every kernel counts as computation, also one that copies or fills.
  bool kernels_compute = false;
  /// The profile names every launch, so that none is to be found by ids.
  bool all_launches_known = false;
};

/// By number of the slice, its kind.
class SliceKinds {
 public:
  SliceKinds(const std::vector<Category>& categories, const std::vector<uint16_t>& category);
  SliceKind operator[](SliceIndex slice) const { return of_category_[category_[slice]]; }

 private:
  std::vector<SliceKind> of_category_;
  const uint16_t* category_;
};

struct Timeline {
  StringPool names;
  std::vector<Category> categories;
  std::vector<Track> tracks;
  Slices slices;
  DeviceOps device_ops;
  std::vector<Collective> collectives;
  std::vector<Synchronization> synchronizations;
  std::vector<MemoryEvent> memory;
  Counters counters;
  std::vector<Instant> instants;
  std::vector<Link> links;
  LinkHints hints;

  SliceKind kind(SliceIndex i) const { return categories[slices.category[i]].kind; }
  /// The kinds of slices, for a loop over many. Valid until slices or categories are changed.
  SliceKinds kinds() const { return {categories, slices.category}; }
  std::string_view name(SliceIndex i) const { return names[slices.name[i]]; }
  /// Bytes resident, names apart.
  uint64_t bytes() const;
};

}  // namespace cgpu
