#include <map>

#include "model/time_range.h"
#include "readers/ascend/database.h"
#include "readers/ascend/names.h"

namespace cgpu::ascend {

namespace {

/// Values of PYTORCH_API.type (ENUM_API_TYPE).
enum : int64_t { kOp = 50001, kQueue = 50002, kFrame = 50003, kMark = 50004 };

/// Slices that hand work to a queue and take it out, by the id in CONNECTION_IDS that both point to.
class Queue {
 public:
  explicit Queue(DatabaseReader& reader) {
    reader.each("CONNECTION_IDS", {"id", "connectionId"},
                [&](sqlite::Scan& row) { connection_.emplace(row.integer(0), row.integer(1)); });
  }

  void add(std::string_view name, int64_t id, SliceIndex slice) {
    const auto found = connection_.find(id);
    Ends& ends = ends_[found == connection_.end() ? id : found->second];
    SliceIndex& end = name.starts_with("Dequeue") ? ends.to : ends.from;
    if (end == kNone) end = slice;
  }

  void join(Timeline& timeline) const {
    for (const auto& [id, ends] : ends_) {
      if (ends.from != kNone && ends.to != kNone) timeline.hints.handovers.push_back({ends.from, ends.to});
    }
  }

 private:
  struct Ends {
    SliceIndex from = kNone;
    SliceIndex to = kNone;
  };
  std::unordered_map<int64_t, int64_t> connection_;
  std::map<int64_t, Ends> ends_;
};

/// Whether it holds marks of steps.
bool read_framework(DatabaseReader& reader) {
  bool marked = false;
  Timeline& timeline = reader.assembler.timeline;
  const auto category = [&](const char* name, SliceKind kind) { return reader.assembler.category(name, kind); };
  Queue queue(reader);
  reader.each_event(
      "PYTORCH_API", {"startNs", "endNs", "globalTid", "name", "type", "connectionId", "sequenceNumber", "fwdThreadId"},
      [&](sqlite::Scan& row) {
        enum { kStart, kEnd, kThread, kName, kType, kConnection, kSequence, kForwardThread };
        const std::string_view name = reader.texts.text(row.integer(kName));
        const TrackIndex track = reader.thread_track(row.integer(kThread));
        switch (row.integer(kType)) {
          case kOp: {
            const bool range = is_range(name);
            marked = marked || name.starts_with("ProfilerStep#");
            const uint16_t number =
                range ? category("range", SliceKind::annotation) : category("cpu_op", SliceKind::framework_op);
            const SliceIndex slice = reader.add_slice(row, number, name, track);
            if (slice != kNone && !range && !row.is_null(kSequence) && row.integer(kSequence) >= 0) {
              timeline.hints.sequence.push_back({slice, row.integer(kForwardThread) != 0, row.integer(kSequence)});
            }
            break;
          }
          case kQueue: {
            const SliceIndex slice = reader.add_slice(row, category("queue", SliceKind::runtime_call), name, track);
            if (slice != kNone && !row.is_null(kConnection)) queue.add(name, row.integer(kConnection), slice);
            break;
          }
          case kFrame:
            reader.add_slice(row, category("python_function", SliceKind::python_function), name, track);
            break;
          case kMark:
            reader.add_slice(row, category("mstx", SliceKind::annotation), name, track);
            break;
          default:
            reader.add_slice(row, category("", SliceKind::other), name, track);
        }
      });
  queue.join(timeline);
  return marked;
}

/// Marks without a duration are instants.
void read_marks(DatabaseReader& reader) {
  const uint16_t mark = reader.assembler.category("mstx", SliceKind::annotation);
  reader.each_event("MSTX_EVENTS", {"startNs", "endNs", "message", "globalTid", "eventType"}, [&](sqlite::Scan& row) {
    enum { kStart, kEnd, kMessage, kThread, kType };
    const std::string_view message = reader.texts.text(row.integer(kMessage));
    const TrackIndex track = reader.thread_track(row.integer(kThread));
    const bool marker = reader.texts.enumerated("ENUM_MSTX_EVENT_TYPE", row.integer(kType)).starts_with("marker");
    if (marker && !row.is_null(kStart) && (row.is_null(kEnd) || row.integer(kStart) == row.integer(kEnd))) {
      if (!is_time(row.integer(kStart))) {
        return reader.assembler.skip("invalid_number", "marks whose time cannot be true were left out");
      }
      Timeline& timeline = reader.assembler.timeline;
      Instant instant;
      instant.time = row.integer(kStart);
      instant.name = timeline.names.intern(message);
      instant.track = track;
      timeline.instants.push_back(instant);
      ++reader.assembler.run.events.instants;
      return;
    }
    reader.add_slice(row, mark, message, track);
  });
}

/// As the trace in text form writes them: "AscendCL@aclrtMemcpyAsync".
std::string level_of(std::string_view type) {
  if (type == "acl") return "AscendCL";
  if (type == "hccl" || type == "communication") return "Hccl";
  std::string level(type);
  if (!level.empty() && level[0] >= 'a' && level[0] <= 'z') level[0] = static_cast<char>(level[0] - 'a' + 'A');
  return level.empty() ? "Call" : level;
}

void read_calls(DatabaseReader& reader) {
  struct Level {
    std::string prefix;
    uint16_t category = 0;
  };
  std::map<int64_t, Level> levels;
  std::string name;
  reader.each_event(
      "CANN_API", {"startNs", "endNs", "type", "globalTid", "connectionId", "name"}, [&](sqlite::Scan& row) {
        enum { kStart, kEnd, kType, kThread, kConnection, kName };
        constexpr size_t kMostLevels = 100;
        const int64_t written = row.integer(kType);
        const int64_t type = levels.size() < kMostLevels || levels.count(written) > 0 ? written : -1;
        const auto [level, added] = levels.try_emplace(type);
        if (added) {
          const std::string text = level_of(reader.texts.enumerated("ENUM_API_TYPE", type));
          level->second.prefix = text + "@";
          level->second.category =
              reader.assembler.category(text, text == "Runtime" ? SliceKind::driver_call : SliceKind::runtime_call);
        }
        name.assign(level->second.prefix).append(reader.texts.text(row.integer(kName)));
        reader.add_slice(row, level->second.category, name, reader.thread_track(row.integer(kThread)),
                         row.is_null(kConnection) ? kNoCorrelation : row.integer(kConnection));
      });
}

void read_system_calls(DatabaseReader& reader) {
  const uint16_t call = reader.assembler.category("os runtime", SliceKind::os_call);
  reader.each_event("OSRT_API", {"startNs", "endNs", "name", "globalTid"}, [&](sqlite::Scan& row) {
    reader.add_slice(row, call, reader.texts.text(row.integer(2)), reader.thread_track(row.integer(3)));
  });
  const uint16_t collection = reader.assembler.category("gc", SliceKind::annotation);
  reader.each_event("GC_RECORD", {"startNs", "endNs", "globalTid"}, [&](sqlite::Scan& row) {
    reader.add_slice(row, collection, "Python GC", reader.thread_track(row.integer(2)));
  });
}

/// The framework's marks of its steps, where they are not among its ops.
void read_steps(DatabaseReader& reader, bool marked) {
  if (marked) return reader.pass_over("STEP_TIME");
  if (!reader.database.has_rows("STEP_TIME")) return;
  const uint16_t range = reader.assembler.category("range", SliceKind::annotation);
  const TrackIndex track = reader.assembler.track(TrackKind::host_thread, "steps", "steps");
  reader.each_event("STEP_TIME", {"startNs", "endNs", "id"}, [&](sqlite::Scan& row) {
    reader.add_slice(row, range, "ProfilerStep#" + std::to_string(row.integer(2)), track);
  });
}

}  // namespace

void read_host_tables(DatabaseReader& reader) {
  read_steps(reader, read_framework(reader));
  read_marks(reader);
  read_calls(reader);
  read_system_calls(reader);
}

}  // namespace cgpu::ascend
