#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/contains.h"
#include "model/time_range.h"
#include "readers/common/cuda_names.h"
#include "readers/nsys/tables.h"

namespace cgpu::nsys {

namespace {

/// ENUM_NSYS_EVENT_TYPE: 70 and 71 come from imported text files.
enum NvtxType : int64_t {
  kMark = 34,
  kThreadName = 39,
  kPushPop = 59,
  kStartEnd = 60,
  kTextPushPop = 70,
  kTextStartEnd = 71,
  kCategory = 33,
  kDomainBegin = 75,
  kDomainEnd = 76
};

class HostTables {
 public:
  explicit HostTables(Assembler& assembler)
      : assembler_(assembler), timeline_(assembler.run.timeline), schemas_(assembler) {}

  std::vector<NcclRange> read() {
    check_processes();
    read_calls();
    read_ranges();
    for (const char* table : {"OSRT_API", "SYSCALL"}) read_spans(table, "os call", SliceKind::os_call);
    read_spans("CUBLAS_EVENTS", "cuBLAS", SliceKind::annotation);
    read_spans("CUDNN_EVENTS", "cuDNN", SliceKind::annotation);
    for (const char* table :
         {"MPI_P2P_EVENTS", "MPI_COLLECTIVES_EVENTS", "MPI_START_WAIT_EVENTS", "MPI_OTHER_EVENTS"}) {
      read_spans(table, "MPI", SliceKind::annotation);
    }
    for (const char* table : {"CUPTI_ACTIVITY_KIND_OPENACC_DATA", "CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH",
                              "CUPTI_ACTIVITY_KIND_OPENACC_OTHER"}) {
      read_spans(table, "OpenACC", SliceKind::annotation);
    }
    read_overhead();
    read_spans("PROFILER_OVERHEAD", "profiler overhead", SliceKind::overhead);
    return std::move(nccl_);
  }

 private:
  /// Without a process on both sides, calls and device ops can be joined by correlation id alone.
  void check_processes() {
    const TableSource& tables = assembler_.tables;
    const auto lacks = [&](const char* table, const char* column) {
      return tables.has_rows(table) && !tables.has_column(table, column);
    };
    if (lacks("CUPTI_ACTIVITY_KIND_RUNTIME", "globalTid") || lacks("CUPTI_ACTIVITY_KIND_KERNEL", "globalPid") ||
        lacks("CUPTI_ACTIVITY_KIND_MEMCPY", "globalPid") || lacks("CUPTI_ACTIVITY_KIND_MEMSET", "globalPid")) {
      assembler_.assume_one_process();
      assembler_.run.notes.add(
          "missing_process", 1,
          "the file does not say the process of all calls and device ops; they were joined as if of "
          "one process, which is wrong where there were several");
    }
  }

  /// Runtime and driver calls are in one table. Some recordings hold each call twice, the second time for its backtrace
  /// (class 67): those are not counted as calls.
  void read_calls() {
    enum { kStart, kEnd, kThread, kCorrelation, kName, kClass };
    enum : int64_t { kRuntimeClass = 0, kDriverClass = 1, kBacktraceClass = 67 };
    const uint16_t runtime = assembler_.category("runtime", SliceKind::runtime_call);
    const uint16_t driver = assembler_.category("driver", SliceKind::driver_call);
    const uint16_t backtrace = assembler_.category("CUDA backtrace", SliceKind::other);
    assembler_.each_event("CUPTI_ACTIVITY_KIND_RUNTIME",
                          {"start", "end", "globalTid", "correlationId", "nameId", "eventClass"}, [&](Row& row) {
                            const StringId name = assembler_.names.id(row, kName);
                            uint16_t category = timeline_.names[name].starts_with("cuda") ? runtime : driver;
                            if (!row.is_null(kClass)) {
                              const int64_t event_class = row.integer(kClass);
                              if (event_class == kRuntimeClass) category = runtime;
                              if (event_class == kDriverClass) category = driver;
                              if (event_class == kBacktraceClass) category = backtrace;
                            }
                            const int64_t thread = row.integer(kThread);
                            assembler_.add_slice(row, category, name, assembler_.thread_track(thread),
                                                 assembler_.correlation(process_of(thread), row, kCorrelation));
                          });
  }

  /// Tables of named spans on threads.
  void read_spans(const std::string& table, const char* category_name, SliceKind kind) {
    if (!assembler_.tables.has_rows(table)) return;
    enum { kStart, kEnd, kThread, kNameId, kTextId };
    const uint16_t category = assembler_.category(category_name, kind);
    const bool calls = kind == SliceKind::os_call;
    assembler_.each_event(table, {"start", "end", "globalTid", "nameId", "textId"}, [&](Row& row) {
      const StringId name = assembler_.names.id(row, row.is_null(kNameId) ? kTextId : kNameId);
      // "OS runtime libraries profiling started" is a mark of the profiler in the table of calls.
      const bool mark = calls && contains(assembler_.run.timeline.names[name], " profiling ");
      assembler_.add_slice(row, mark ? assembler_.category("profiler overhead", SliceKind::overhead) : category, name,
                           assembler_.thread_track(row.integer(kThread)));
    });
  }

  /// CUPTI calls overhead both its own work and what the driver does late: loading modules, compiling, waiting for room
  /// in the command buffer. Only the first is the profiler's.
  void read_overhead() {
    const std::string table = "CUPTI_ACTIVITY_KIND_OVERHEAD";
    if (!assembler_.tables.has_rows(table)) return;
    enum { kStart, kEnd, kThread, kName, kType };
    enum : int64_t { kBufferFlush = 3, kInstrumentation = 4, kResource = 5 };
    const uint16_t own = assembler_.category("profiler overhead", SliceKind::overhead);
    const uint16_t of_driver = assembler_.category("driver work", SliceKind::other);
    assembler_.each_event(table, {"start", "end", "globalTid", "nameId", "overheadType"}, [&](Row& row) {
      const int64_t type = row.integer(kType);
      const bool is_own = type == kBufferFlush || type == kInstrumentation || type == kResource;
      assembler_.add_slice(row, is_own ? own : of_driver, assembler_.names.id(row, kName),
                           assembler_.thread_track(row.integer(kThread)));
    });
  }

  enum Range {
    kRangeStart,
    kRangeEnd,
    kRangeType,
    kRangeText,
    kRangeTextId,
    kRangeThread,
    kRangeEndThread,
    kRangeDomain,
    kRangeJson,
    kRangeJsonId,
    kRangeBlob
  };

  void read_ranges() {
    const int64_t unnamed = 0;
    domain(unnamed);
    assembler_.each_event("NVTX_EVENTS",
                          {"start", "end", "eventType", "text", "textId", "globalTid", "endGlobalTid", "domainId",
                           "jsonText", "jsonTextId", "binaryData"},
                          [&](Row& row) { read_range(row); });
    for (const auto& [id, categories] : domains_) {
      const auto name = domain_names_.find(id);
      if (name == domain_names_.end()) continue;
      for (const uint16_t category : {categories.annotation, categories.op}) {
        timeline_.categories[category].name = "NVTX " + name->second;
      }
    }
    close_open_ranges();
  }

  void read_range(Row& row) {
    const StringId name = assembler_.names.id(row, row.is_null(kRangeTextId) ? kRangeText : kRangeTextId);
    switch (row.is_null(kRangeType) ? static_cast<int64_t>(kPushPop) : row.integer(kRangeType)) {
      case kPushPop:
      case kTextPushPop:
      case kStartEnd:
      case kTextStartEnd:
        return add_range(row, name);
      case kMark:
        if (row.is_null(kRangeStart) || !is_time(row.integer(kRangeStart))) break;
        ++assembler_.run.events.instants;
        timeline_.instants.push_back(
            {row.integer(kRangeStart), name, assembler_.thread_track(row.integer(kRangeThread))});
        return;
      case kThreadName:
        ++assembler_.run.events.metadata;
        timeline_.tracks[assembler_.thread_track(row.integer(kRangeThread))].thread_name = timeline_.names[name];
        return;
      case kDomainBegin:
        domain_names_[row.integer(kRangeDomain)] = timeline_.names[name];
        ++assembler_.run.events.metadata;
        return;
      case kCategory:
      case kDomainEnd:
        ++assembler_.run.events.metadata;
        return;
      default:
        break;
    }
    assembler_.skip("skipped_event",
                    "NVTX rows of a type that this reader does not know, or without a time, were left out");
  }

  void add_range(Row& row, StringId name) {
    const Domain& categories = domain(row.integer(kRangeDomain));
    const int64_t thread = row.integer(kRangeThread);
    // A range that ends on another thread lies on no thread: device ops launched in the meantime are not its.
    const bool crosses = !row.is_null(kRangeEndThread) && row.integer(kRangeEndThread) != thread;
    const TrackIndex track = crosses ? crossing_track(thread) : assembler_.thread_track(thread);
    const StringId op = op_name(name);
    const uint16_t category = op == kNoOp ? categories.annotation : categories.op;
    if (row.is_null(kRangeEnd) && !row.is_null(kRangeStart)) return add_open_range(row, category, op, name, track);
    const SliceIndex slice = assembler_.add_slice(row, category, op == kNoOp ? name : op, track);
    if (slice != kNone && !crosses && is_nccl(name)) {
      nccl_.push_back({thread, timeline_.slices.start[slice], timeline_.slices.end(slice), name, payload_of(row)});
    }
  }

  bool is_nccl(StringId name) const { return timeline_.names[name].starts_with("nccl"); }

  NcclPayload payload_of(Row& row) const {
    std::optional<NcclPayload> payload;
    if (!row.is_null(kRangeBlob)) payload = schemas_.decode(row.integer(kRangeDomain), row.text(kRangeBlob));
    if (!payload && !row.is_null(kRangeJsonId))
      payload = payload_of_json(assembler_.names.text(row.integer(kRangeJsonId)));
    if (!payload && !row.is_null(kRangeJson)) payload = payload_of_json(row.text(kRangeJson));
    return payload.value_or(NcclPayload{});
  }

  /// Ends are known when all has been read.
  void add_open_range(Row& row, uint16_t category, StringId op, StringId name, TrackIndex track) {
    const int64_t start = row.integer(kRangeStart);
    if (!is_time(start)) {
      return assembler_.skip("invalid_number", "rows whose time cannot be true (beyond a century) were left out");
    }
    open_.push_back(assembler_.add_slice_at(row, start, start, category, op == kNoOp ? name : op, track));
  }

  void close_open_ranges() {
    if (open_.empty()) return;
    Slices& slices = timeline_.slices;
    int64_t last = INT64_MIN;
    for (SliceIndex i = 0; i < slices.size(); ++i) last = std::max(last, slices.end(i));
    for (const SliceIndex i : open_) slices.duration[i] = last - slices.start[i];
    assembler_.run.notes.add("unmatched_begin", static_cast<int64_t>(open_.size()),
                             "ranges that never ended were kept to the end of the last call or range");
  }

  /// The categories of a domain; it gets its name when all rows have been read.
  struct Domain {
    uint16_t annotation = 0;
    uint16_t op = 0;
  };
  const Domain& domain(int64_t id) {
    constexpr size_t kMostDomains = 10'000;  // categories are numbered in 16 bits
    if (const auto known = domains_.find(id); known != domains_.end()) return known->second;
    if (domains_.size() >= kMostDomains) return domains_.begin()->second;
    const std::string name = id == 0 ? "NVTX" : "NVTX domain " + std::to_string(id);
    return domains_[id] = {assembler_.category(name, SliceKind::annotation),
                           assembler_.category(name, SliceKind::framework_op)};
  }

  /// The framework op's name where the range is one, worked out once a name.
  StringId op_name(StringId name) {
    const auto [at, added] = ops_.try_emplace(name, kNoOp);
    if (added) {
      const std::string_view op = cuda::op_of_range(timeline_.names[name]);
      if (!op.empty()) at->second = assembler_.names.intern(op);
    }
    return at->second;
  }

  TrackIndex crossing_track(int64_t thread) {
    std::vector<Track>& tracks = timeline_.tracks;
    const std::string process = std::to_string(process_number(process_of(thread)));
    const auto [at, added] = crossing_.try_emplace(process, static_cast<TrackIndex>(tracks.size()));
    if (added) {
      Track& track = tracks.emplace_back();
      track.process = process;
      track.thread = "ranges across threads";
    }
    return at->second;
  }

  static constexpr StringId kNoOp = StringPool::absent;

  Assembler& assembler_;
  Timeline& timeline_;
  PayloadSchemas schemas_;
  std::vector<NcclRange> nccl_;
  std::unordered_map<StringId, StringId> ops_;
  std::map<int64_t, Domain> domains_;
  std::map<int64_t, std::string> domain_names_;
  std::map<std::string, TrackIndex> crossing_;
  std::vector<SliceIndex> open_;
};

}  // namespace

std::vector<NcclRange> read_host_tables(Assembler& assembler) {
  return HostTables(assembler).read();
}

}  // namespace cgpu::nsys
