// What one window of events parses to, before it is merged into the run.
//
// Strings, tracks and categories are numbered per worker thread (WorkerTables live as long as the worker); the
// Assembler translates them when it appends the batch.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/string_pool.h"
#include "model/export_marks.h"
#include "model/run.h"
#include "model/timeline.h"
#include "readers/trace_event/parts.h"

namespace cgpu::trace_event {

struct WorkerTables {
  StringPool names;
  StringPool track_keys;  // process + '\x1f' + thread; the id is the worker's track number
  std::vector<Category> categories;
  StringPool counter_keys;  // process + '\x1f' + name
  StringPool part_keys;     // Part::key
};
inline constexpr char kKeySeparator = '\x1f';

struct SynchronizationRow {
  uint32_t slice;  // row in the batch
  Synchronization::Kind kind;
  int32_t device;
  int64_t stream;
  int64_t record;  // correlation id, kNoCorrelation where absent
};

struct CounterRow {
  uint32_t track;
  int64_t time;
  double value;
};

/// An end of an arrow of cgpu's own exports, which belongs to the slice before it in the file.
struct ArrowRow {
  export_marks::FlowKind kind;
  bool ends;
  uint32_t slices;  // rows in the batch before it
  uint32_t track;   // of the worker
  int64_t time;
  uint64_t number;
};

/// A name given to a process or thread by a metadata event.
struct TrackName {
  bool of_process;
  StringId key;  // in track_keys
  StringId name;
};

/// Why events were left out or repaired; each is a line of `notes`.
enum class Loss : uint8_t {
  no_time,            // no usable ts
  no_duration,        // complete event without dur
  thread_duration,    // the same, kept with the duration of its thread
  bad_number,         // ts or dur that is no number, or out of range
  bad_id,             // correlation or id that is no 64-bit integer: event kept, without it
  negative_duration,  // kept with duration 0
  no_stack,           // sample that names no stack
  object,             // life and snapshots of an object
  memory_dump,
  mark,  // for other readers: clocks, contexts
  unknown_phase,
  broken_event,    // not JSON, even after repair
  repaired_event,  // broken text (quotes, control bytes, UTF-8), repaired and kept
  oversized_event,
};
inline constexpr size_t kLosses = static_cast<size_t>(Loss::oversized_event) + 1;

struct Batch {
  std::vector<Slice> slices;            // strings, tracks and categories of the worker
  std::vector<DeviceOp> device_ops;     // slice = row in the batch
  std::vector<Collective> collectives;  // slice = row in the batch, strings of the worker
  std::vector<Collective> transfers;    // likewise, slice = the op of the host
  std::vector<SynchronizationRow> synchronizations;
  std::vector<LinkHints::External> external;  // slice = row in the batch
  std::vector<LinkHints::Sequence> sequence;  // slice = row in the batch
  std::vector<LinkHints::Flow> flows;         // track of the worker
  std::vector<ArrowRow> arrows;
  std::vector<MemoryEvent> memory;  // tracks of the worker
  std::vector<CounterRow> counters;
  std::vector<Instant> instants;  // strings and tracks of the worker
  std::vector<TrackName> track_names;
  std::vector<Part> parts;  // strings, tracks, categories and keys of the worker
  std::vector<CpuProfile> cpu_profiles;
  EventCounts counts;
  std::array<int64_t, kLosses> losses{};
  bool kineto_category = false;  // a category was seen that only Kineto writes

  void clear();
  /// Adds the rows of `other`, which used the same WorkerTables.
  void append(const Batch& other);
  void lose(Loss loss, int64_t n = 1) { losses[static_cast<size_t>(loss)] += n; }
};

}  // namespace cgpu::trace_event
