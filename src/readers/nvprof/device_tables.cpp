#include <algorithm>
#include <array>
#include <unordered_map>

#include "model/time_range.h"
#include "readers/common/cuda_names.h"
#include "readers/nvprof/tables.h"

namespace cgpu::nvprof {

namespace {

/// CUpti_ActivityMemcpyKind.
constexpr std::array<CopyKind, 11> kCopies{CopyKind::unknown, CopyKind::HtoD, CopyKind::DtoH, CopyKind::HtoA,
                                           CopyKind::AtoH,    CopyKind::AtoA, CopyKind::AtoD, CopyKind::DtoA,
                                           CopyKind::DtoD,    CopyKind::HtoH, CopyKind::PtoP};
/// CUpti_ActivityMemoryKind.
constexpr std::array<MemoryKind, 8> kMemory{MemoryKind::unknown,       MemoryKind::pageable,      MemoryKind::pinned,
                                            MemoryKind::device,        MemoryKind::array,         MemoryKind::managed,
                                            MemoryKind::device_static, MemoryKind::managed_static};
/// CUpti_ActivitySynchronizationType, from 1 on.
struct WaitKind {
  const char* name;
  Synchronization::Kind kind;
};
constexpr std::array<WaitKind, 4> kWaits{{{"Event Synchronize", Synchronization::Kind::host_event},
                                          {"Stream Wait Event", Synchronization::Kind::stream_order},
                                          {"Stream Synchronize", Synchronization::Kind::host_stream},
                                          {"Context Synchronize", Synchronization::Kind::host_device}}};

template <typename T, size_t N>
T at_code(const std::array<T, N>& known, int64_t code) {
  return code >= 0 && code < static_cast<int64_t>(N) ? known[static_cast<size_t>(code)] : T::unknown;
}

class DeviceTables {
 public:
  explicit DeviceTables(Assembler& assembler) : assembler_(assembler), timeline_(assembler.run.timeline) {}

  void read() {
    runtime_was_recorded_ = assembler_.tables.has_rows("CUPTI_ACTIVITY_KIND_RUNTIME");
    // A kernel is in the first where kernels could not run beside each other, and in the last where another
    // kernel launched it.
    for (const char* table :
         {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "CUPTI_ACTIVITY_KIND_CDP_KERNEL"}) {
      read_kernels(table);
    }
    for (const char* table : {"CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMCPY2"}) read_copies(table);
    read_memsets();
    read_synchronization();
    read_unified_memory();
    read_allocations();
  }

 private:
  /// The columns with which every table of device ops begins.
  enum Common { kStart, kEnd, kDevice, kStream, kCorrelation, kRuntimeCorrelation, kFirst };
  static std::vector<std::string> columns(std::initializer_list<const char*> more) {
    std::vector<std::string> all{"start", "end", "deviceId", "streamId", "correlationId", "runtimeCorrelationId"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  /// Old versions have one number for the driver's call and one for the runtime's; since then both have the same.
  int64_t correlation(Row& row) const {
    const int64_t of_runtime = Assembler::correlation(row, kRuntimeCorrelation);
    return runtime_was_recorded_ && of_runtime != kNoCorrelation ? of_runtime
                                                                 : Assembler::correlation(row, kCorrelation);
  }

  void add(Row& row, uint16_t category, StringId name, DeviceOp op) {
    op.device = Assembler::device(row, kDevice);
    op.stream = Assembler::stream(row, kStream);
    op.slice =
        assembler_.add_slice(row, category, name, assembler_.stream_track(op.device, op.stream), correlation(row));
    if (op.slice != kNone) timeline_.device_ops.append(op);
  }

  void read_kernels(const std::string& table) {
    const uint16_t category = assembler_.builder.category("kernel", SliceKind::kernel);
    assembler_.each_event(table, columns({"name"}),
                          [&](Row& row) { add(row, category, assembler_.text(row, kFirst), {}); });
  }

  void read_copies(const std::string& table) {
    const uint16_t category = assembler_.builder.category("memcpy", SliceKind::memcpy);
    enum { kBytes = kFirst, kKind, kSource, kDestination };
    assembler_.each_event(table, columns({"bytes", "copyKind", "srcKind", "dstKind"}), [&](Row& row) {
      DeviceOp op;
      op.bytes = bytes(row, kBytes);
      op.copy = at_code(kCopies, row.integer(kKind));
      op.source = at_code(kMemory, row.integer(kSource));
      op.destination = at_code(kMemory, row.integer(kDestination));
      add(row, category, copy_name(op), op);
    });
  }

  void read_memsets() {
    const uint16_t category = assembler_.builder.category("memset", SliceKind::memset);
    enum { kBytes = kFirst, kKind };
    assembler_.each_event("CUPTI_ACTIVITY_KIND_MEMSET", columns({"bytes", "memoryKind"}), [&](Row& row) {
      DeviceOp op;
      op.bytes = bytes(row, kBytes);
      op.copy = CopyKind::memset;
      op.destination = at_code(kMemory, row.integer(kKind));
      add(row, category, copy_name(op), op);
    });
  }

  /// Where an event was recorded, by the number of the call that did it.
  using Records = std::map<int64_t, int64_t>;
  using RecordedEvents = std::map<std::pair<int64_t, int64_t>, Records>;  // by context and event
  RecordedEvents recorded_events() {
    RecordedEvents events;
    enum { kEvent, kContext, kEventStream, kEventCorrelation };
    assembler_.each("CUPTI_ACTIVITY_KIND_CUDA_EVENT", {"eventId", "contextId", "streamId", "correlationId"},
                    [&](Row& row) {
                      events[{row.integer(kContext), row.integer(kEvent)}].emplace(
                          row.integer(kEventCorrelation), Assembler::stream(row, kEventStream));
                    });
    return events;
  }

  void read_synchronization() {
    const std::string table = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
    if (!assembler_.tables.has_rows(table)) return;
    std::map<int64_t, int32_t> devices;  // by context
    assembler_.each("CUPTI_ACTIVITY_KIND_CONTEXT", {"contextId", "deviceId"},
                    [&](Row& row) { devices.try_emplace(row.integer(0), Assembler::device(row, 1)); });
    const RecordedEvents events = recorded_events();
    const uint16_t category = assembler_.builder.category("synchronization", SliceKind::synchronization);
    enum { kWaitStart, kWaitEnd, kType, kContext, kWaitStream, kWaitCorrelation, kEvent };
    assembler_.each_event(
        table, {"start", "end", "type", "contextId", "streamId", "correlationId", "cudaEventId"}, [&](Row& row) {
          const int64_t type = row.integer(kType);
          const bool known = type >= 1 && type <= static_cast<int64_t>(kWaits.size());
          const auto device = devices.find(row.integer(kContext));
          Synchronization wait;
          wait.device = device == devices.end() ? -1 : device->second;
          const int64_t stream = Assembler::stream(row, kWaitStream);
          const int64_t correlation = Assembler::correlation(row, kWaitCorrelation);
          const char* const name = known ? kWaits[static_cast<size_t>(type - 1)].name : "Synchronization";
          wait.slice = assembler_.add_slice(row, category, assembler_.intern(name),
                                            assembler_.stream_track(wait.device, stream), correlation);
          if (wait.slice == kNone || !known) return;
          wait.kind = kWaits[static_cast<size_t>(type - 1)].kind;
          if (wait.kind == Synchronization::Kind::host_stream) wait.stream = stream;
          const auto event = events.find({row.integer(kContext), row.integer(kEvent)});
          const bool of_event =
              wait.kind == Synchronization::Kind::host_event || wait.kind == Synchronization::Kind::stream_order;
          if (of_event && event != events.end()) wait_for(event->second, correlation, wait);
          timeline_.synchronizations.push_back(wait);
        });
  }

  /// An event is recorded again and again: a wait is for the last time before it.
  void wait_for(const Records& records, int64_t correlation, Synchronization& wait) {
    auto record = records.lower_bound(correlation);
    if (record == records.begin()) return;
    --record;
    wait.stream = record->second;
    timeline_.hints.records.push_back({static_cast<uint32_t>(timeline_.synchronizations.size()), record->first});
  }

  /// What the driver moves of managed memory, and the faults that make it.
  void read_unified_memory() {
    const std::string table = "CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER";
    if (!assembler_.tables.has_rows(table)) return;
    enum { kUsedStart, kUsedEnd, kKind, kValue, kSource, kDestination, kProcess };
    enum : int64_t { kToDevice = 1, kToHost = 2, kCpuFault = 3, kBetweenDevices = 8 };
    constexpr std::array<const char*, 5> others{"CPU page fault", "GPU page faults", "thrashing", "throttling",
                                                "remote map"};  // from kCpuFault on
    const uint16_t copies = assembler_.builder.category("memcpy", SliceKind::memcpy);
    const uint16_t faults = assembler_.builder.category("unified memory", SliceKind::other);
    assembler_.each_event(
        table, {"start", "end", "counterKind", "value", "srcId", "dstId", "processId"}, [&](Row& row) {
          const int64_t kind = row.integer(kKind);
          if (kind == kToDevice || kind == kToHost || kind == kBetweenDevices) {
            DeviceOp op;
            op.bytes = bytes(row, kValue);
            op.copy = kind == kToDevice ? CopyKind::uvm_HtoD : kind == kToHost ? CopyKind::uvm_DtoH : CopyKind::DtoD;
            op.source = op.destination = MemoryKind::managed;
            op.device = Assembler::device(row, kind == kToHost ? kSource : kDestination);
            op.slice = assembler_.add_slice(row, copies, copy_name(op), assembler_.stream_track(op.device, op.stream));
            if (op.slice != kNone) timeline_.device_ops.append(op);
            return;
          }
          const auto place = static_cast<size_t>(kind - kCpuFault);
          const int64_t start = row.integer(kUsedStart);
          if (kind < kCpuFault || place >= others.size() || start == 0 || !is_time(start)) {
            return assembler_.skip("skipped_event",
                                   "counters of unified memory without a time or of a kind that this reader does not "
                                   "know were left out");
          }
          const StringId name = assembler_.intern(others[place]);
          const TrackIndex track =
              assembler_.builder.thread_track(std::to_string(row.integer(kProcess)), "unified memory");
          if (row.integer(kUsedEnd) > start) {
            assembler_.add_slice(row, faults, name, track);
          } else {
            ++assembler_.run.events.instants;
            timeline_.instants.push_back({start, name, track});
          }
        });
  }

  /// An allocation is one row, with the times at which it began and ended.
  void read_allocations() {
    enum { kAllocated, kFreed, kBytes, kKind, kOwner };
    std::vector<MemoryEvent> events;
    assembler_.each_event(
        "CUPTI_ACTIVITY_KIND_MEMORY", {"start", "end", "bytes", "memoryKind", "deviceId"}, [&](Row& row) {
          MemoryEvent event;
          event.time = row.integer(kAllocated);
          event.bytes = bytes(row, kBytes);
          if (event.time == 0 || !is_time(event.time) || event.bytes < 0) {
            return assembler_.skip("skipped_event", "memory events without a time or size were left out");
          }
          const MemoryKind kind = at_code(kMemory, row.integer(kKind));
          const bool on_host = kind == MemoryKind::pageable || kind == MemoryKind::pinned;
          event.device = on_host ? -1 : Assembler::device(row, kOwner);
          events.push_back(event);
          ++assembler_.run.events.memory;
          const int64_t freed = row.integer(kFreed);
          if (freed <= event.time || !is_time(freed)) return;
          event.time = freed;
          event.bytes = -event.bytes;
          events.push_back(event);
        });
    cuda::sum_memory(events);
    timeline_.memory = std::move(events);
  }

  static int64_t bytes(Row& row, int column) {
    constexpr int64_t kMostBytes = int64_t{1} << 50;  // sums of many fit into 64 bits
    const int64_t size = row.integer(column);
    return row.is_null(column) || size < 0 || size > kMostBytes ? -1 : size;
  }

  StringId copy_name(const DeviceOp& op) {
    const auto [at, added] = copy_names_.try_emplace({op.copy, op.source, op.destination}, 0);
    if (added) at->second = assembler_.intern(cuda::name_of_copy(op.copy, op.source, op.destination));
    return at->second;
  }

  Assembler& assembler_;
  Timeline& timeline_;
  bool runtime_was_recorded_ = false;
  std::map<std::tuple<CopyKind, MemoryKind, MemoryKind>, StringId> copy_names_;
};

}  // namespace

void read_device_tables(Assembler& assembler) {
  DeviceTables(assembler).read();
}

}  // namespace cgpu::nvprof
