#include <algorithm>
#include <array>
#include <unordered_map>

#include "model/time_range.h"
#include "readers/common/cuda_names.h"
#include "readers/nvprof/api_names.h"
#include "readers/nvprof/tables.h"

namespace cgpu::nvprof {

namespace {

/// CUpti_OpenAccEventKind and CUpti_OpenMpEventKind, from 1 on.
constexpr std::array<std::string_view, 16> kOpenAcc{"device init",
                                                    "device shutdown",
                                                    "runtime shutdown",
                                                    "enqueue launch",
                                                    "enqueue upload",
                                                    "enqueue download",
                                                    "wait",
                                                    "implicit wait",
                                                    "compute",
                                                    "update",
                                                    "enter data",
                                                    "exit data",
                                                    "create on device",
                                                    "delete on device",
                                                    "allocate on device",
                                                    "free on device"};
constexpr std::array<std::string_view, 6> kOpenMp{"parallel", "task", "thread", "idle", "barrier", "taskwait"};

/// CUpti_ActivityOverheadKind: all but the first are those of the profiler, up to where the driver's begin.
struct Overhead {
  int64_t kind;
  std::string_view name;
  bool of_profiler;
};
constexpr int64_t kLater = int64_t{1} << 16;
constexpr std::array<Overhead, 6> kOverheads{{{1, "driver compiler", false},
                                              {1 * kLater, "CUPTI buffer flush", true},
                                              {2 * kLater, "CUPTI instrumentation", true},
                                              {3 * kLater, "CUPTI resource", true},
                                              {4 * kLater, "module loading", false},
                                              {5 * kLater, "lazy function loading", false}}};

class HostTables {
 public:
  explicit HostTables(Assembler& assembler) : assembler_(assembler), timeline_(assembler.run.timeline) {}

  void read() {
    read_calls("CUPTI_ACTIVITY_KIND_RUNTIME", Api::runtime);
    read_calls("CUPTI_ACTIVITY_KIND_DRIVER", Api::driver);
    read_markers();
    for (const char* table : {"CUPTI_ACTIVITY_KIND_OPENACC_DATA", "CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH",
                              "CUPTI_ACTIVITY_KIND_OPENACC_OTHER"}) {
      read_constructs(table, "OpenACC", kOpenAcc);
    }
    read_constructs("CUPTI_ACTIVITY_KIND_OPENMP", "OpenMP", kOpenMp);
    read_overhead();
    close_open_ranges();
  }

 private:
  /// Threads are distinguished by 32 bits: calls have them with their sign, markers without.
  static uint32_t low_bits(Row& row, int column) { return static_cast<uint32_t>(row.integer(column)); }

  void read_calls(const std::string& table, Api api) {
    enum { kStart, kEnd, kNumber, kProcess, kThread, kCorrelation };
    const bool runtime = api == Api::runtime;
    const uint16_t category = assembler_.builder.category(runtime ? "runtime" : "driver",
                                                          runtime ? SliceKind::runtime_call : SliceKind::driver_call);
    std::unordered_map<int64_t, StringId> names;
    assembler_.each_event(table, {"start", "end", "cbid", "processId", "threadId", "correlationId"}, [&](Row& row) {
      const auto [name, added] = names.try_emplace(row.integer(kNumber), 0);
      if (added) name->second = name_of_call(api, name->first);
      assembler_.add_slice(row, category, name->second,
                           assembler_.thread_track(low_bits(row, kProcess), low_bits(row, kThread)),
                           Assembler::correlation(row, kCorrelation));
    });
  }

  StringId name_of_call(Api api, int64_t number) {
    const std::string_view name = api_name(api, number);
    if (!name.empty()) return assembler_.intern(name);
    return assembler_.intern((api == Api::runtime ? "CUDA runtime call " : "CUDA driver call ") +
                             std::to_string(number));
  }

  struct Open {
    SliceIndex slice;
    Object thread;
  };
  /// The end of a range whose begin comes later in the table.
  struct End {
    int64_t time;
    Object thread;
  };

  /// A range is two rows with one id: the begin has the name, the end has none.
  void read_markers() {
    enum { kTime, kFlags, kId, kKind, kObject, kName, kDomain };
    enum : int64_t { kInstant = 1, kBegin = 2, kEnd = 4 };
    assembler_.each_event(
        "CUPTI_ACTIVITY_KIND_MARKER", {"timestamp", "flags", "id", "objectKind", "objectId", "name", "domain"},
        [&](Row& row) {
          const int64_t time = row.integer(kTime);
          const int64_t flags = row.integer(kFlags);
          const int64_t id = row.integer(kId);
          if (time == 0 || !is_time(time)) {
            return assembler_.skip("skipped_event", "rows without a start or an end were left out");
          }
          const Object thread = object_of(row.integer(kKind), row.text(kObject)).value_or(Object{});
          if ((flags & kBegin) != 0) {
            begin(id, {add_range(row, time, assembler_.text(row, kName), thread, domain(row, kDomain)), thread});
          } else if ((flags & kEnd) != 0) {
            ++assembler_.run.events.ends;
            end(id, {time, thread});
          } else if ((flags & kInstant) != 0) {
            ++assembler_.run.events.instants;
            timeline_.instants.push_back({time, assembler_.text(row, kName), track_of(thread)});
          } else {
            assembler_.skip("skipped_event", "markers of a kind that this reader does not know were left out");
          }
        });
    const auto lost = static_cast<int64_t>(ends_.size());
    assembler_.run.events.ends -= lost;
    assembler_.run.events.skipped += lost;
    assembler_.run.notes.add("unmatched_end", lost, "ends of ranges whose begin is not in the profile were left out");
  }

  std::string_view domain(Row& row, int column) { return timeline_.names[assembler_.text(row, column)]; }
  TrackIndex track_of(const Object& thread) { return assembler_.thread_track(thread.first, thread.second); }

  SliceIndex add_range(const Row& row, int64_t time, StringId name, const Object& thread, std::string_view domain) {
    const std::string_view op = cuda::op_of_range(timeline_.names[name]);
    const std::string category = domain.empty() ? "NVTX" : "NVTX " + std::string(domain);
    if (!op.empty()) name = assembler_.intern(std::string(op));
    const SliceKind kind = op.empty() ? SliceKind::annotation : SliceKind::framework_op;
    return assembler_.add_slice_at(row, time, time, assembler_.builder.category(category, kind), name,
                                   track_of(thread));
  }

  void begin(int64_t id, const Open& range) {
    if (range.slice == kNone) return;
    const auto end = ends_.find(id);
    if (end == ends_.end()) {
      open_[id].push_back(range);
      return;
    }
    close(range, end->second);
    ends_.erase(end);
  }

  void end(int64_t id, const End& end) {
    const auto range = open_.find(id);
    if (range == open_.end()) {
      ends_.emplace(id, end);
      return;
    }
    close(range->second.back(), end);
    range->second.pop_back();
    if (range->second.empty()) open_.erase(range);
  }

  void close(const Open& range, const End& end) {
    Slices& slices = timeline_.slices;
    const int64_t duration = end.time - slices.start[range.slice];
    assembler_.run.notes.add("negative_duration", duration < 0,
                             "slices with a negative duration were kept with duration 0");
    slices.duration[range.slice] = std::max<int64_t>(duration, 0);
    // A range that ends on another thread lies on no thread: device ops launched in the meantime are not its.
    const bool crosses = end.thread.first != range.thread.first || end.thread.second != range.thread.second;
    if (crosses) {
      slices.track[range.slice] =
          assembler_.builder.thread_track(std::to_string(range.thread.first), "ranges across threads");
    }
  }

  void close_open_ranges() {
    if (open_.empty()) return;
    Slices& slices = timeline_.slices;
    int64_t last = INT64_MIN;
    for (SliceIndex i = 0; i < slices.size(); ++i) last = std::max(last, slices.end(i));
    int64_t count = 0;
    for (const auto& [id, ranges] : open_) {
      for (const Open& range : ranges) {
        slices.duration[range.slice] = last - slices.start[range.slice];
        slices.flags[range.slice] |= kNeverEnded;
        ++count;
      }
    }
    assembler_.run.notes.add("unmatched_begin", count,
                             "ranges that never ended were kept to the end of the last call or range");
  }

  template <size_t N>
  void read_constructs(const std::string& table, const std::string& language,
                       const std::array<std::string_view, N>& names) {
    if (!assembler_.tables.has_rows(table)) return;
    enum { kStart, kEnd, kKind, kProcess, kThread };
    const uint16_t category = assembler_.builder.category(language, SliceKind::annotation);
    assembler_.each_event(table, {"start", "end", "eventKind", "cuProcessId", "cuThreadId"}, [&](Row& row) {
      const int64_t kind = row.integer(kKind);
      const bool known = kind >= 1 && kind <= static_cast<int64_t>(N);
      const std::string name = known ? language + " " + std::string(names[static_cast<size_t>(kind - 1)]) : language;
      assembler_.add_slice(row, category, assembler_.intern(name),
                           assembler_.thread_track(low_bits(row, kProcess), low_bits(row, kThread)));
    });
  }

  void read_overhead() {
    const std::string table = "CUPTI_ACTIVITY_KIND_OVERHEAD";
    if (!assembler_.tables.has_rows(table)) return;
    enum { kStart, kEnd, kOverhead, kKind, kObject };
    const uint16_t own = assembler_.builder.category("profiler overhead", SliceKind::overhead);
    const uint16_t of_driver = assembler_.builder.category("driver work", SliceKind::other);
    assembler_.each_event(table, {"start", "end", "overheadKind", "objectKind", "objectId"}, [&](Row& row) {
      const auto known = std::find_if(kOverheads.begin(), kOverheads.end(),
                                      [&](const Overhead& one) { return one.kind == row.integer(kOverhead); });
      const bool is_known = known != kOverheads.end();
      const Object thread = object_of(row.integer(kKind), row.text(kObject)).value_or(Object{});
      assembler_.add_slice(row, is_known && known->of_profiler ? own : of_driver,
                           assembler_.intern(is_known ? known->name : "overhead"), track_of(thread));
    });
  }

  Assembler& assembler_;
  Timeline& timeline_;
  std::unordered_map<int64_t, std::vector<Open>> open_;
  std::unordered_map<int64_t, End> ends_;
};

}  // namespace

void read_host_tables(Assembler& assembler) {
  HostTables(assembler).read();
}

}  // namespace cgpu::nvprof
