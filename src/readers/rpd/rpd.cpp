#include "readers/rpd/rpd.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/contains.h"
#include "base/json_text.h"
#include "base/parse_number.h"
#include "model/time_range.h"
#include "readers/common/event_tables.h"
#include "readers/common/input.h"
#include "readers/common/rpd_names.h"
#include "readers/common/sqlite/database.h"
#include "readers/common/sqlite/database_input.h"
#include "readers/common/sqlite/each_row.h"
#include "readers/common/timeline_builder.h"

namespace cgpu::rpd {

namespace {

using sqlite::Scan;

const std::string kApi = "rocpd_api";
const std::string kOp = "rocpd_op";

bool has_tables(const sqlite::Database& database) {
  return database.has_column(kApi, "apiName_id") && database.has_column(kOp, "opType_id");
}

class Reader {
 public:
  Reader(sqlite::Database& database, Run& run) : database_(database), run_(run), into_(run) {}

  void read() {
    names_ = read_strings("rocpd_string");
    messages_ = database_.has("rocpd_ustring") ? read_strings("rocpd_ustring") : names_;
    read_details();
    read_calls();
    read_ops();
    read_monitors();
    note_unread_tables();
  }

 private:
  using Strings = std::unordered_map<int64_t, StringId>;
  /// What a call says of the op that it starts.
  struct Details {
    int64_t stream = -1;
    int64_t bytes = -1;
  };

  template <typename Visit>
  void each(const std::string& table, const std::vector<std::string>& columns, Visit visit) {
    sqlite::each_row(database_, table, columns, run_.notes, visit);
  }

  Strings read_strings(const std::string& table) {
    Strings strings;
    each(table, {"id", "string"},
         [&](Scan& row) { strings[row.integer(0)] = run_.timeline.names.intern(valid_utf8(row.text(1))); });
    return strings;
  }
  static StringId find(const Strings& strings, int64_t id) {
    const auto found = strings.find(id);
    return found == strings.end() ? 0 : found->second;
  }

  /// Streams are addresses; the default one is 0, the others are numbered as they come.
  int64_t stream_number(std::string_view address) {
    if (address.empty()) return -1;
    if (address.find_first_not_of("0x") == std::string_view::npos) return 0;
    const auto next = static_cast<int64_t>(streams_.size()) + 1;
    return streams_.try_emplace(std::string(address), next).first->second;
  }

  void read_details() {
    each("rocpd_kernelapi", {"api_ptr_id", "stream"},
         [&](Scan& row) { details_[row.integer(0)].stream = stream_number(row.text(1)); });
    each("rocpd_copyapi", {"api_ptr_id", "stream", "size"}, [&](Scan& row) {
      Details& details = details_[row.integer(0)];
      details.stream = stream_number(row.text(1));
      details.bytes = row.is_number(2) ? std::max<int64_t>(row.integer(2), -1) : -1;
    });
    each("rocpd_api_ops", {"api_id", "op_id"}, [&](Scan& row) { call_of_op_[row.integer(1)] = row.integer(0); });
  }

  /// Start and end in the first two columns. False where there are none, which is counted.
  bool has_times(const Scan& row) {
    ++run_.events.read;
    if (row.is_number(0) && row.is_number(1)) return true;
    into_.skip("skipped_event", "records without a start and an end were left out");
    return false;
  }

  void read_calls() {
    each(kApi, {"start", "end", "id", "pid", "tid", "apiName_id", "args_id"}, [&](Scan& row) {
      if (!has_times(row)) return;
      StringId name = find(names_, row.integer(5));
      const SliceKind kind = kind_of_call(run_.timeline.names[name]);
      if (run_.timeline.names[name] == "UserMarker") {
        const StringId message = find(messages_, row.integer(6));
        if (message != 0) name = message;
      }
      const TrackIndex track = into_.thread_track(std::to_string(row.integer(3)), std::to_string(row.integer(4)));
      if (kind == SliceKind::annotation && row.integer(0) == row.integer(1) && is_time(row.integer(0))) {
        ++run_.events.instants;
        run_.timeline.instants.push_back({row.integer(0), name, track, InstantScope::thread});
        return;
      }
      into_.add_slice({.start = row.integer(0),
                       .correlation = is_call(kind) ? correlation(row.integer(2)) : kNoCorrelation,
                       .name = name,
                       .track = track,
                       .category = into_.category(text_of(kind), kind)},
                      row.integer(1));
    });
  }

  /// Calls are numbered from 1: their ids begin anywhere.
  int64_t correlation(int64_t call) {
    const auto next = static_cast<int64_t>(numbers_.size()) + 1;
    return numbers_.try_emplace(call, next).first->second;
  }

  void read_ops() {
    const bool streams = !streams_.empty();
    each(kOp, {"start", "end", "id", "gpuId", "queueId", "description_id", "opType_id"}, [&](Scan& row) {
      if (!has_times(row)) return;
      const StringId type = find(names_, row.integer(6));
      const Op what = op_of(run_.timeline.names[type]);
      const StringId description = find(names_, row.integer(5));
      const bool described = !run_.timeline.names[description].empty();
      DeviceOp op;
      op.device = row.integer(3) >= 0 && row.integer(3) < INT32_MAX ? static_cast<int32_t>(row.integer(3)) : -1;
      op.stream = row.is_number(4) ? row.integer(4) : -1;
      int64_t id = kNoCorrelation;
      if (const auto call = call_of_op_.find(row.integer(2)); call != call_of_op_.end()) {
        id = correlation(call->second);
        const auto details = details_.find(call->second);
        if (details != details_.end()) {
          if (streams) op.stream = details->second.stream;
          if (what.kind == SliceKind::memcpy) op.bytes = details->second.bytes;
        } else if (streams) {
          op.stream = -1;
        }
      }
      op.copy = what.copy;
      set_sides(what, op);
      const SliceIndex slice = into_.add_slice({.start = row.integer(0),
                                                .correlation = id,
                                                .name = described ? description : type,
                                                .track = into_.stream_track(op.device, op.stream),
                                                .category = into_.category(text_of(what.kind), what.kind)},
                                               row.integer(1));
      if (slice == kNone || !is_device_op(what.kind)) return;
      op.slice = slice;
      run_.timeline.device_ops.append(op);
    });
  }

  static void set_sides(const Op& what, DeviceOp& op) {
    if (what.kind == SliceKind::memset) op.destination = MemoryKind::device;
    if (what.kind != SliceKind::memcpy || what.copy == CopyKind::unknown) return;
    const bool from_host = what.copy == CopyKind::HtoD || what.copy == CopyKind::HtoH;
    const bool to_host = what.copy == CopyKind::DtoH || what.copy == CopyKind::HtoH;
    op.source = from_host ? MemoryKind::host : MemoryKind::device;
    op.destination = to_host ? MemoryKind::host : MemoryKind::device;
  }

  /// Clocks, power and the like of the devices, each from one change to the next.
  void read_monitors() {
    Counters& counters = run_.timeline.counters;
    std::map<std::pair<std::string, std::string>, uint32_t> tracks;
    each("rocpd_monitor", {"start", "deviceType", "deviceId", "monitorType", "value"}, [&](Scan& row) {
      ++run_.events.read;
      const auto value = parse_number<double>(row.text(4));
      if (!row.is_number(0) || !is_time(row.integer(0)) || !value) {
        return into_.skip("skipped_event", "values of monitors without a time or a number were left out");
      }
      std::string device = row.text(1) == "gpu" ? "GPU " : std::string(row.text(1)) + " ";
      device += std::to_string(row.integer(2));
      const auto [at, added] = tracks.try_emplace({valid_utf8(device), valid_utf8(row.text(3))},
                                                  static_cast<uint32_t>(counters.tracks.size()));
      if (added) counters.tracks.push_back({at->first.first, at->first.second});
      counters.track.push_back(at->second);
      counters.time.push_back(row.integer(0));
      counters.value.push_back(*value);
      ++run_.events.counters;
    });
  }

  void note_unread_tables() {
    std::string unread;
    int64_t count = 0;
    for (const char* table : {"rocpd_hsaApi", "rocpd_counter", "rocpd_stackframe"}) {
      if (!database_.has(table) || !database_.has_rows(table)) continue;
      ++count;
      unread.append(unread.empty() ? "" : ", ").append(table);
    }
    run_.notes.add("unread_table", count, "tables of events that cgpu does not use: " + unread);
  }

  sqlite::Database& database_;
  Run& run_;
  TimelineBuilder into_;
  Strings names_;
  Strings messages_;
  std::map<std::string, int64_t, std::less<>> streams_;
  std::unordered_map<int64_t, Details> details_;     // of a call
  std::unordered_map<int64_t, int64_t> call_of_op_;  // ids
  std::unordered_map<int64_t, int64_t> numbers_;     // of calls
};

}  // namespace

bool is_database(const Input& input) {
  return sqlite::is_database_with(input, has_tables, [](std::string_view head) {
    return contains(head, "opType_id") || contains(head, "\"rocpd_api_ops\"");
  });
}

Run read_database(const Input& input, const ReadOptions&) {
  Run run = new_run(input.path, "rpd");
  Reader(*sqlite::open_database(input, has_tables, "rocmProfileData", run), run).read();
  return run;
}

}  // namespace cgpu::rpd
