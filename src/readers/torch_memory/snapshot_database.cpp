#include "readers/torch_memory/snapshot_database.h"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/contains.h"
#include "base/memory_text.h"
#include "base/parse_number.h"
#include "readers/common/event_tables.h"
#include "readers/common/json_reader.h"
#include "readers/common/sqlite/database.h"
#include "readers/common/sqlite/database_input.h"
#include "readers/common/sqlite/each_row.h"
#include "readers/torch_memory/snapshot_builder.h"

namespace cgpu::torch_memory {

namespace {

using sqlite::Scan;
using Token = JsonReader::Token;

const std::string kTraces = "device_traces";
const std::string kSegments = "segments";

bool has_tables(const sqlite::Database& database) {
  return database.has_column(kTraces, "action") && database.has_column(kTraces, "addr") &&
         database.has_column(kTraces, "frames");
}

class DatabaseReader {
 public:
  DatabaseReader(sqlite::Database& database, Run& run) : database_(database), run_(run), into_(run) {}

  void read() {
    read_segments();
    into_.set_timed(database_.has_column(kTraces, "time_us"));
    std::map<int64_t, std::vector<SnapshotEvent>> devices;
    int64_t place = 0;
    each(kTraces, {"device", "action", "size", "addr", "time_us", "frames"}, [&](Scan& row) {
      const std::optional<int64_t> time = into_.timed() ? number(row, 4) : std::optional(place++);
      const std::string action(row.text(1));
      auto event = into_.event_of({action, number(row, 2), number(row, 3), time});
      if (!event) return;
      if (event->action == Action::allocate) event->node = node_of(row.text(5));
      devices[number(row, 0).value_or(0)].push_back(*event);
    });
    for (const auto& [device, events] : devices) {
      if (device >= 0 && device < static_cast<int64_t>(kMostDevices)) {
        into_.add_trace(events, static_cast<int32_t>(device), has_segments_);
      } else {
        run_.notes.add("skipped_event", static_cast<int64_t>(events.size()),
                       "events of devices that cannot be were left out", true);
      }
    }
    into_.finish();
  }

 private:
  template <typename Visit>
  void each(const std::string& table, const std::vector<std::string>& columns, Visit visit) {
    sqlite::each_row(database_, table, columns, run_.notes, visit);
  }

  static std::optional<int64_t> number(const Scan& row, int column) {
    return row.is_number(column) ? std::optional(row.integer(column)) : std::nullopt;
  }

  /// What is in use of a segment is the sum of its blocks.
  void read_segments() {
    std::unordered_map<int64_t, int64_t> used;
    each("blocks", {"segment_id", "size", "state"}, [&](Scan& row) {
      if (row.text(2) != "active_allocated") return;
      int64_t& sum = used[row.integer(0)];
      if (__builtin_add_overflow(sum, row.integer(1), &sum)) sum = -1;
    });
    each(kSegments, {"id", "device", "total_size"}, [&](Scan& row) {
      has_segments_ = true;
      const auto sum = used.find(row.integer(0));
      into_.add_segment(number(row, 1), sum == used.end() ? 0 : sum->second, number(row, 2));
    });
  }

  /// Of the JSON text of a stack: [{"filename": ..., "line": 1, "name": ...}, ...], the innermost first.
  NodeIndex node_of(std::string_view text) {
    const auto [at, added] = stacks_.try_emplace(std::string(text), 0);
    if (!added) return at->second;
    struct Frame {
      std::string name, file;
      int64_t line = 0;
    };
    std::vector<Frame> frames;
    MemoryText memory(at->first);
    JsonReader json(memory);
    if (json.next() == Token::begin_array) {
      json.each_object([&] {
        Frame& frame = frames.emplace_back();
        json.each_member([&](std::string_view key) {
          const Token value = json.next();
          if (value == Token::string && key == "name") frame.name = json.text();
          if (value == Token::string && key == "filename") frame.file = json.text();
          if (value == Token::number && key == "line") frame.line = parse_number(json.text()).value_or(0);
          if (value == Token::begin_array || value == Token::begin_object) json.skip();
        });
      });
    }
    if (!json.damage().empty()) run_.notes.add("damaged_input", 1, "stacks that are no JSON were cut", true);
    std::vector<SnapshotFrame> stack;
    stack.reserve(frames.size());
    for (const Frame& frame : frames) stack.push_back({frame.name, frame.file, frame.line});
    return at->second = into_.node_of(stack);
  }

  sqlite::Database& database_;
  Run& run_;
  SnapshotBuilder into_;
  bool has_segments_ = false;
  std::unordered_map<std::string, NodeIndex> stacks_;  // by their text
};

}  // namespace

bool is_snapshot_database(const Input& input) {
  return sqlite::is_database_with(
      input, has_tables, [](std::string_view head) { return contains(head, kTraces) && contains(head, "addr"); });
}

void read_snapshot_database(const Input& input, Run& run) {
  DatabaseReader(*sqlite::open_database(input, has_tables, "a memory snapshot", run), run).read();
}

}  // namespace cgpu::torch_memory
