#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "model/time_range.h"
#include "readers/common/cuda_names.h"
#include "readers/nsys/tables.h"

namespace cgpu::nsys {

namespace {

using Kinds = std::unordered_map<int64_t, std::string>;

/// An enumeration of the file, by label. Codes have changed over time; the labels are what they mean.
Kinds labels(Assembler& assembler, const std::string& table) {
  Kinds kinds;
  assembler.each(table, {"id", "label"}, [&](Row& row) { kinds.emplace(row.integer(0), std::string(row.text(1))); });
  return kinds;
}

/// Codes of files without the enumeration are those of the newest that has it.
CopyKind copy_kind(const Kinds& kinds, int64_t code) {
  struct Known {
    std::string_view label;
    CopyKind kind;
  };
  static constexpr std::array<Known, 14> known{{{"Unknown", CopyKind::unknown},
                                                {"Host-to-Device", CopyKind::HtoD},
                                                {"Device-to-Host", CopyKind::DtoH},
                                                {"Host-to-Array", CopyKind::HtoA},
                                                {"Array-to-Host", CopyKind::AtoH},
                                                {"Array-to-Array", CopyKind::AtoA},
                                                {"Array-to-Device", CopyKind::AtoD},
                                                {"Device-to-Array", CopyKind::DtoA},
                                                {"Device-to-Device", CopyKind::DtoD},
                                                {"Host-to-Host", CopyKind::HtoH},
                                                {"Peer-to-Peer", CopyKind::PtoP},
                                                {"Unified Host-to-Device", CopyKind::uvm_HtoD},
                                                {"Unified Device-to-Host", CopyKind::uvm_DtoH},
                                                {"Unified Device-to-Device", CopyKind::DtoD}}};
  if (const auto label = kinds.find(code); label != kinds.end()) {
    for (const Known& one : known) {
      if (one.label == label->second) return one.kind;
    }
  }
  return code >= 0 && code < static_cast<int64_t>(known.size()) ? known[static_cast<size_t>(code)].kind
                                                                : CopyKind::unknown;
}

/// Without the enumeration.
constexpr std::array<MemoryKind, 8> kMemory{MemoryKind::pageable,       MemoryKind::pinned,  MemoryKind::device,
                                            MemoryKind::array,          MemoryKind::managed, MemoryKind::device_static,
                                            MemoryKind::managed_static, MemoryKind::unknown};

MemoryKind memory_kind(const Kinds& kinds, Row& row, int column) {
  if (row.is_null(column)) return MemoryKind::unknown;
  const int64_t code = row.integer(column);
  if (const auto label = kinds.find(code); label != kinds.end()) {
    if (const auto known = cuda::memory_of_label(label->second)) return *known;
  }
  return code >= 0 && code < static_cast<int64_t>(kMemory.size()) ? kMemory[static_cast<size_t>(code)]
                                                                  : MemoryKind::unknown;
}

class DeviceTables {
 public:
  DeviceTables(Assembler& assembler, const DeviceNumbers& devices)
      : assembler_(assembler), timeline_(assembler.run.timeline), devices_(devices) {}

  void read() {
    copy_kinds_ = labels(assembler_, "ENUM_CUDA_MEMCPY_OPER");
    memory_kinds_ = labels(assembler_, "ENUM_CUDA_MEM_KIND");
    read_kernels();
    read_copies();
    read_memsets();
    read_graphs();
    read_synchronization();
    read_memory();
  }

 private:
  /// The columns with which every table of device rows begins.
  enum Common { kStart, kEnd, kDevice, kContext, kStream, kCorrelation, kProcess, kFirst };
  static std::vector<std::string> columns(std::initializer_list<const char*> more) {
    std::vector<std::string> all{"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  int32_t device(uint64_t process, int64_t ordinal) const {
    auto mapped = devices_.empty() ? devices_.end() : devices_.find({process_number(process), ordinal});
    if (mapped == devices_.end()) mapped = devices_.find({kAnyProcess, ordinal});
    const int64_t number = mapped == devices_.end() ? ordinal : mapped->second;
    return number >= 0 && number <= INT32_MAX ? static_cast<int32_t>(number) : -1;
  }

  /// The device of a row: of a synchronization that of the device ops of its context, since its own deviceId may be
  /// another one's.
  int32_t device_of(Row& row, SliceKind kind) {
    const uint64_t process = process_of(row.integer(kProcess));
    const int32_t named = device(process, row.integer(kDevice));
    if (row.is_null(kContext)) return named;
    const Context context(process, row.integer(kContext));
    if (is_device_op(kind)) {
      if (last_context_ != context) contexts_.emplace(context, named);
      last_context_ = context;
      return named;
    }
    return device_of_context(process, row.integer(kContext)).value_or(named);
  }

  /// That of the device ops of a context.
  std::optional<int32_t> device_of_context(uint64_t process, int64_t number) const {
    const auto known = contexts_.find(Context(process, number));
    return known == contexts_.end() ? std::nullopt : std::optional(known->second);
  }

  /// Adds the row's slice on its stream.
  SliceIndex add(Row& row, uint16_t category, StringId name, DeviceOp op) {
    const uint64_t process = process_of(row.integer(kProcess));
    op.device = device_of(row, timeline_.categories[category].kind);
    op.stream = row.integer(kStream);
    const SliceIndex slice =
        assembler_.add_slice(row, category, name, assembler_.stream_track(process, op.device, op.stream),
                             assembler_.correlation(process, row, kCorrelation));
    if (slice == kNone || !is_device_op(timeline_.categories[category].kind)) return slice;
    op.slice = slice;
    timeline_.device_ops.append(op);
    return slice;
  }

  void read_kernels() {
    const uint16_t category = assembler_.category("kernel", SliceKind::kernel);
    assembler_.each_event("CUPTI_ACTIVITY_KIND_KERNEL", columns({"demangledName", "shortName", "mangledName"}),
                          [&](Row& row) {
                            StringId name = 0;
                            for (int i = kFirst; name == 0 && i < kFirst + 3; ++i) name = assembler_.names.id(row, i);
                            add(row, category, name, {});
                          });
  }

  void read_copies() {
    const uint16_t category = assembler_.category("memcpy", SliceKind::memcpy);
    enum { kBytes = kFirst, kKind, kSource, kDestination };
    assembler_.each_event("CUPTI_ACTIVITY_KIND_MEMCPY", columns({"bytes", "copyKind", "srcKind", "dstKind"}),
                          [&](Row& row) {
                            DeviceOp op;
                            op.bytes = bytes(row, kBytes);
                            op.copy = copy_kind(copy_kinds_, row.integer(kKind));
                            op.source = memory_kind(memory_kinds_, row, kSource);
                            op.destination = memory_kind(memory_kinds_, row, kDestination);
                            add(row, category, copy_name(op), op);
                          });
  }

  void read_memsets() {
    const uint16_t category = assembler_.category("memset", SliceKind::memset);
    enum { kBytes = kFirst, kKind };
    assembler_.each_event("CUPTI_ACTIVITY_KIND_MEMSET", columns({"bytes", "memKind"}), [&](Row& row) {
      DeviceOp op;
      op.bytes = bytes(row, kBytes);
      op.copy = CopyKind::memset;
      op.destination = memory_kind(memory_kinds_, row, kKind);
      add(row, category, copy_name(op), op);
    });
  }

  /// A graph's row stands for its kernels where they were not recorded; where they were, it only encloses them.
  void read_graphs() {
    const std::string table = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
    if (!assembler_.tables.has_rows(table)) return;
    std::unordered_set<int64_t> recorded;
    for (const SliceIndex op : timeline_.device_ops.slice) recorded.insert(timeline_.slices.correlation[op]);
    const uint16_t hiding = assembler_.category("graph", SliceKind::kernel);
    const uint16_t enclosing = assembler_.category("graph", SliceKind::device_annotation);
    int64_t hidden = 0;
    assembler_.each_event(table, columns({"graphId", "graphExecId"}), [&](Row& row) {
      const int id = row.is_null(kFirst) ? kFirst + 1 : kFirst;
      const std::string name = row.is_null(id) ? "CUDA graph" : "CUDA graph " + std::to_string(row.integer(id));
      const int64_t key = assembler_.correlation(process_of(row.integer(kProcess)), row, kCorrelation);
      const bool seen = key != kNoCorrelation && recorded.count(key) != 0;
      if (add(row, seen ? enclosing : hiding, assembler_.names.intern(name), {}) != kNone && !seen) ++hidden;
    });
    assembler_.run.notes.add("hidden_graph_kernels", hidden,
                             "CUDA graphs were recorded as a whole: each run of one is a single device op, and the "
                             "kernels in it are not listed; record with --cuda-graph-trace=node to see them");
  }

  /// The kind of a wait follows from the call that waited: the codes of the file have changed their meaning.
  struct WaitKind {
    const char* name;
    Synchronization::Kind kind;
  };
  static const WaitKind* kind_of_wait(std::string_view call) {
    static constexpr std::array<std::pair<std::string_view, WaitKind>, 5> known{
        {{"EventSynchronize", {"Event Synchronize", Synchronization::Kind::host_event}},
         {"StreamWaitEvent", {"Stream Wait Event", Synchronization::Kind::stream_order}},
         {"StreamSynchronize", {"Stream Synchronize", Synchronization::Kind::host_stream}},
         {"DeviceSynchronize", {"Context Synchronize", Synchronization::Kind::host_device}},
         {"CtxSynchronize", {"Context Synchronize", Synchronization::Kind::host_device}}}};
    const auto at = std::find_if(known.begin(), known.end(),
                                 [&](const auto& one) { return call.find(one.first) != std::string_view::npos; });
    return at == known.end() ? nullptr : &at->second;
  }

  /// Where an event was recorded, by the number that ties it to the waits for it.
  struct RecordedEvent {
    int64_t stream = -1;
    int64_t correlation = kNoCorrelation;
    int32_t device = -1;  // -1 where the profile does not say
  };
  using RecordedEvents = std::map<std::pair<uint64_t, int64_t>, RecordedEvent>;
  RecordedEvents recorded_events() {
    RecordedEvents events;
    enum { kEvent, kEventStream, kEventCorrelation, kEventProcess, kEventDevice, kEventContext };
    assembler_.each("CUPTI_ACTIVITY_KIND_CUDA_EVENT",
                    {"eventSyncId", "streamId", "correlationId", "globalPid", "deviceId", "contextId"}, [&](Row& row) {
                      const uint64_t process = process_of(row.integer(kEventProcess));
                      if (row.is_null(kEvent) || row.integer(kEvent) <= 0) return;
                      std::optional<int32_t> of_event;
                      if (!row.is_null(kEventContext))
                        of_event = device_of_context(process, row.integer(kEventContext));
                      if (!of_event && !row.is_null(kEventDevice))
                        of_event = device(process, row.integer(kEventDevice));
                      events[{process, row.integer(kEvent)}] = {row.integer(kEventStream),
                                                                assembler_.correlation(process, row, kEventCorrelation),
                                                                of_event.value_or(-1)};
                    });
    return events;
  }

  void read_synchronization() {
    const std::string table = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
    if (!assembler_.tables.has_rows(table)) return;
    std::unordered_map<int64_t, const WaitKind*> kinds;
    for (SliceIndex i = 0; i < timeline_.slices.size(); ++i) {
      if (!is_call(timeline_.kind(i))) continue;
      if (const WaitKind* kind = kind_of_wait(timeline_.name(i))) kinds[timeline_.slices.correlation[i]] = kind;
    }
    const RecordedEvents events = recorded_events();
    const uint16_t category = assembler_.category("synchronization", SliceKind::synchronization);
    assembler_.each_event(table, columns({"eventSyncId"}), [&](Row& row) {
      const uint64_t process = process_of(row.integer(kProcess));
      const auto kind = kinds.find(assembler_.correlation(process, row, kCorrelation));
      const bool known = kind != kinds.end();
      const SliceIndex slice =
          add(row, category, assembler_.names.intern(known ? kind->second->name : "Synchronization"), {});
      if (slice == kNone || !known) return;
      Synchronization wait{slice, kind->second->kind, device_of(row, SliceKind::synchronization)};
      if (wait.kind == Synchronization::Kind::host_stream && row.integer(kStream) < UINT32_MAX) {
        wait.stream = row.integer(kStream);
      }
      const auto event = row.is_null(kFirst) ? events.end() : events.find({process, row.integer(kFirst)});
      if (event != events.end() && wait.kind != Synchronization::Kind::host_device) {
        wait.stream = event->second.stream;
        if (event->second.device >= 0) wait.device = event->second.device;
        timeline_.hints.records.push_back(
            {static_cast<uint32_t>(timeline_.synchronizations.size()), event->second.correlation});
      }
      timeline_.synchronizations.push_back(wait);
    });
  }

  /// Allocations, and what is in use after each: events come in any order.
  void read_memory() {
    enum { kTime, kSize, kKind, kOperation, kMemoryDevice, kMemoryProcess };
    std::vector<MemoryEvent> events;
    const Kinds operations = labels(assembler_, "ENUM_CUDA_DEV_MEM_EVENT_OPER");
    assembler_.each_event(
        "CUDA_GPU_MEMORY_USAGE_EVENTS", {"start", "bytes", "memKind", "memoryOperationType", "deviceId", "globalPid"},
        [&](Row& row) {
          const int64_t size = row.integer(kSize);
          if (row.is_null(kTime) || !is_time(row.integer(kTime)) || size < 0 || size > kMostBytes) {
            return assembler_.skip("skipped_event", "memory events without a time or size were left out");
          }
          const MemoryKind kind = memory_kind(memory_kinds_, row, kKind);
          const bool on_host = kind == MemoryKind::pageable || kind == MemoryKind::pinned;
          MemoryEvent event;
          event.time = row.integer(kTime);
          event.bytes = releases(operations, row.integer(kOperation)) ? -size : size;
          event.device = on_host ? -1 : device(process_of(row.integer(kMemoryProcess)), row.integer(kMemoryDevice));
          events.push_back(event);
          ++assembler_.run.events.memory;
        });
    cuda::sum_memory(events);
    timeline_.memory = std::move(events);
  }

  static bool releases(const Kinds& operations, int64_t code) {
    const auto label = operations.find(code);
    constexpr int64_t kDeallocation = 1;  // in files without the enumeration
    return label == operations.end() ? code == kDeallocation : label->second.find("eallocation") != std::string::npos;
  }

  static int64_t bytes(Row& row, int column) {
    const int64_t size = row.integer(column);
    return row.is_null(column) || size < 0 || size > kMostBytes ? -1 : size;
  }

  StringId copy_name(const DeviceOp& op) {
    const auto [at, added] = copy_names_.try_emplace({op.copy, op.source, op.destination}, 0);
    if (added) at->second = assembler_.names.intern(cuda::name_of_copy(op.copy, op.source, op.destination));
    return at->second;
  }

  static constexpr int64_t kMostBytes = int64_t{1} << 50;  // sums of many fit into 64 bits

  Assembler& assembler_;
  Timeline& timeline_;
  const DeviceNumbers& devices_;
  using Context = std::pair<uint64_t, int64_t>;  // process, number
  std::map<Context, int32_t> contexts_;          // to devices
  std::optional<Context> last_context_;
  Kinds copy_kinds_;
  Kinds memory_kinds_;
  std::map<std::tuple<CopyKind, MemoryKind, MemoryKind>, StringId> copy_names_;
};

}  // namespace

void read_device_tables(Assembler& assembler, const DeviceNumbers& devices) {
  DeviceTables(assembler, devices).read();
}

}  // namespace cgpu::nsys
