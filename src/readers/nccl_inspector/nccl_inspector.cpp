#include "readers/nccl_inspector/nccl_inspector.h"

#include <simdjson.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/contains.h"
#include "base/error.h"
#include "base/json_text.h"
#include "readers/common/input.h"
#include "readers/common/line_reader.h"
#include "readers/common/recorded_collectives.h"
#include "readers/nccl_inspector/durations.h"

namespace cgpu::nccl_inspector {

namespace {

using Element = simdjson::dom::element;

constexpr int64_t kNsOfUs = 1000;
constexpr double kMsOfUs = 1e-3;

/// A whole number of an object; absent where there is none.
std::optional<int64_t> number_of(Element object, std::string_view key) {
  int64_t value = 0;
  if (object[key].get(value)) return std::nullopt;
  return value;
}

std::string text_of(Element object, std::string_view key) {
  std::string_view value;
  return object[key].get(value) ? "" : std::string(value);
}

/// ns since 1970. The plugin leaves 0 where an event did not come.
std::optional<int64_t> time_of(Element object, std::string_view key) {
  const auto us = number_of(object, key);
  int64_t ns = 0;
  if (!us || *us <= 0 || __builtin_mul_overflow(*us, kNsOfUs, &ns)) return std::nullopt;
  return ns;
}

/// When the host saw the kernel start on the first channel, and stop on the last one.
void set_times(Element performance, RecordedCollective& entry) {
  simdjson::dom::array channels;
  if (performance["event_trace_ts"]["kernel_events"].get(channels)) return;
  for (const Element channel : channels) {
    const auto start = time_of(channel, "kernel_start_ts");
    const auto stop = time_of(channel, "kernel_stop_ts");
    if (start) entry.started = std::min(*start, entry.started.value_or(*start));
    if (stop) entry.completed = std::max(*stop, entry.completed.value_or(*stop));
  }
}

class Log {
 public:
  explicit Log(const Input& input)
      : source_(*input.source), lines_(source_), run_(new_run(input.path, "nccl-inspector")) {
    run_.clock_is_unix = true;
  }

  Run read() {
    for (std::string_view line; lines_.next(line);) {
      ++line_number_;
      if (!trim_json(line).empty()) read_line(line);
    }
    run_.notes.add("damaged_input", damaged_lines_,
                   "lines that are no JSON object were left out, the first is line " + std::to_string(first_damaged_),
                   true);
    run_.notes.add("truncated_input", lines_.cut_lines(), "lines longer than 1 MB were cut", true);
    add_source(source_, run_, "damaged_input");
    if (run_.events.slices == 0) {
      if (durations_.size() == 0) {
        throw Error(run_.file, "is a log of NCCL's Inspector without a collective that can be read");
      }
      keep_durations();
    } else if (durations_.size() > 0) {
      run_.events.skipped += durations_.size();
      run_.notes.add("skipped_event", durations_.size(), "collectives without an end in the log were left out");
    }
    set_rank();
    return std::move(run_);
  }

 private:
  struct Communicator {
    int64_t rank = 0;
    int64_t size = 0;
  };

  void read_line(std::string_view line) {
    Element record;
    if (parser_.parse(line.data(), line.size()).get(record) || !record.is_object()) {
      if (!lines_.ended()) return skip("truncated_input", "the last line is cut off", true);
      if (damaged_lines_++ == 0) first_damaged_ = line_number_;
      return skip();
    }
    RecordedCollective entry;
    Element performance;
    if (record["coll_perf"].get(performance) == simdjson::SUCCESS) {
      entry.name = text_of(performance, "coll");
    } else if (record["p2p_perf"].get(performance) == simdjson::SUCCESS) {
      entry.name = text_of(performance, "p2p");
      entry.is_p2p = true;
    }
    Element header;
    if (entry.name.empty() || record["header"].get(header)) {
      return skip("skipped_event", "lines without a collective, a transfer or a communicator were left out", false);
    }
    const std::string kind = entry.is_p2p ? "p2p_" : "coll_";
    set_times(performance, entry);
    if (!entry.completed) return add_duration(performance, header, kind, entry.name, record);
    const auto size = number_of(header, "n_ranks");
    entry.group = text_of(header, "id");
    entry.purpose = text_of(header, "comm_name");
    entry.sequence = entry.p2p_sequence = number_of(performance, kind + "sn").value_or(-1);
    entry.state = "completed";
    if (!entry.started) entry.started = entry.completed;
    if (size && *size > 0 && *size <= INT32_MAX) entry.group_size = static_cast<int32_t>(*size);
    if (const auto bytes = number_of(performance, kind + "msg_size_bytes"); bytes && *bytes >= 0) {
      entry.type = "Byte";
      set_elements(entry, *bytes, size);
    }
    double duration_us = 0;
    if (!performance[kind + "exec_time_us"].get(duration_us)) entry.duration_ms = duration_us * kMsOfUs;
    add_communicator(entry, number_of(header, "rank"), size);
    set_metadata(record);
    collectives_.add_completed(entry);
  }

  /// A record without an event trace.
  void add_duration(Element performance, Element header, const std::string& kind, const std::string& name,
                    Element record) {
    Duration of;
    if (performance[kind + "exec_time_us"].get(of.time_us) || !(of.time_us > 0)) {
      return skip("skipped_event", "collectives without times and a duration were left out", false);
    }
    ++run_.events.read;
    of.name = name;
    of.group = text_of(header, "id");
    of.purpose = text_of(header, "comm_name");
    of.rank = number_of(header, "rank").value_or(-1);
    of.ranks = number_of(header, "n_ranks").value_or(-1);
    of.bytes = number_of(performance, kind + "msg_size_bytes").value_or(-1);
    if (performance[kind + "busbw_gbs"].get(of.bus_bandwidth)) of.bus_bandwidth = -1;
    set_metadata(record);
    durations_.add(of);
  }

  /// No record says when: what remains is how long.
  void keep_durations() {
    run_.events.samples = durations_.size();
    run_.notes.add("untimed_collective", durations_.size(),
                   "the log says how long collectives took, but not when: they are a tree of calls (tables metrics, "
                   "profiles, functions), and no rows of collectives, which need their times. Record with "
                   "NCCL_INSPECTOR_DUMP_VERBOSE=1 for a timeline");
    run_.call_tree = durations_.finish();
  }

  void add_communicator(const RecordedCollective& of, std::optional<int64_t> rank, std::optional<int64_t> size) {
    if (!rank || *rank < 0 || !size || *rank >= *size) return;
    const auto [at, is_new] = communicators_.try_emplace(of.group, Communicator{*rank, *size});
    if (at->second.rank != *rank) {
      throw Error(run_.file, "holds ranks " + std::to_string(at->second.rank) + " and " + std::to_string(*rank) +
                                 " of communicator " + of.group +
                                 ", which cgpu reads from one file a rank: split it, as with "
                                 "`jq -c 'select(.header.rank == 0)' FILE > rank0.jsonl`");
    }
    if (!is_new) return;
    ParallelGroup group;
    group.name = of.group;
    group.description = of.purpose;
    group.backend = "nccl";
    group.size = *size;
    group.place = *rank;
    run_.groups.push_back(std::move(group));
  }

  void set_metadata(Element record) {
    Element metadata;
    if (!run_.format_version.empty() || record["metadata"].get(metadata)) return;
    run_.format_version = text_of(metadata, "inspector_output_format_version");
    run_.host = text_of(metadata, "hostname");
  }

  /// The log has ranks in communicators only: the largest one is taken for the job, unless two such disagree.
  void set_rank() {
    int64_t largest = 0;
    for (const auto& [id, communicator] : communicators_) {
      if (communicator.size > largest) {
        largest = communicator.size;
        run_.rank = communicator.rank;
        run_.rank_known = true;
      } else if (communicator.size == largest && communicator.rank != run_.rank) {
        run_.rank_known = false;
      }
    }
    if (!run_.rank_known) run_.rank = 0;
  }

  /// Counts a line that is not kept; the notes say why.
  void skip() {
    ++run_.events.read;
    ++run_.events.skipped;
  }
  void skip(const char* code, const std::string& why, bool damage) {
    skip();
    run_.notes.add(code, 1, why, damage);
  }

  TextSource& source_;
  LineReader lines_;
  int64_t line_number_ = 0;
  int64_t damaged_lines_ = 0;
  int64_t first_damaged_ = 0;  // its line number
  simdjson::dom::parser parser_;
  Run run_;
  RecordedCollectives collectives_{run_};
  Durations durations_;
  std::map<std::string, Communicator> communicators_;  // by id
};

}  // namespace

bool is_log(const Input& input) {
  return input.source && trim_json(input.head).starts_with('{') &&
         contains(input.head, "\"inspector_output_format_version\"") &&
         (contains(input.head, "\"coll_perf\"") || contains(input.head, "\"p2p_perf\""));
}

Run read_log(const Input& input, const ReadOptions&) {
  return Log(input).read();
}

}  // namespace cgpu::nccl_inspector
