#include "readers/nccl_profiler/nccl_profiler.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/contains.h"
#include "base/error.h"
#include "base/json_text.h"
#include "readers/common/input.h"
#include "readers/common/line_reader.h"
#include "readers/nccl_profiler/line_fields.h"
#include "readers/nccl_profiler/plugin_run.h"

namespace cgpu::nccl_profiler {

namespace {

std::string without_prefix(const std::string& text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

/// "ncclFloat32" is "Float32".
std::string element_type(const std::string& type) {
  return without_prefix(type, "nccl");
}

// ---------------------------------------------------------------- JSON lines

class JsonLines {
 public:
  explicit JsonLines(PluginRun& run, Run& into) : run_(run), into_(into) {}

  void read(const LineFields& line) {
    const std::string& record = line.text("recordType");
    if (record == "state") return read_state(line);
    const auto start = line.time("start.ts");
    const auto end = line.time("stop.ts");
    if (line.text("type") == "ProfilerLifecycle") {
      ++into_.events.metadata;
      run_.add_communicator(line.text("commId"), line.number("rank").value_or(-1), line.number("details.nranks"),
                            line.text("details.commName"));
    } else if (record == "cuptiActivity" && line.text("type") == "KERNEL" && start && end) {
      ++into_.events.metadata;
      run_.add_kernel(line.number("extCorrId").value_or(-1),
                      {static_cast<int32_t>(line.number("deviceId").value_or(-1)), *start, *end});
    } else if (record == "event" && start && end) {
      read_event(line, without_prefix(line.text("type"), "ncclProfile"), *start, *end);
    } else {
      run_.skip("skipped_event", "lines of other kinds, or without a begin and an end, were left out");
    }
  }

 private:
  /// States come before the event that they are of. The first one says what a proxy did.
  void read_state(const LineFields& line) {
    ++into_.events.metadata;
    const std::string& name = line.text("name");
    if (name.starts_with("ProxyCtrl")) states_.try_emplace(line.text("eventAddr"), name);
    if (name == "KernelChStop") device_stops_[line.text("eventAddr")] = line.number("pTimer");
  }

  void read_event(const LineFields& line, const std::string& type, int64_t start, int64_t end) {
    const std::string process = "process " + line.text("start.pid");
    const std::string thread = "thread " + line.text("start.tid");
    const std::string of_rank = line.text("commId") + ' ' + line.text("rank") + ' ';
    const std::string& address = line.text("eventAddr");
    const std::string& parent = line.text("parentObj");
    const std::string& function = line.text("details.func");
    const std::string name = function.empty() ? type : type + ' ' + function;
    const std::string rank = "rank " + line.text("rank");
    if (type == "KernelLaunch") {
      launches_[of_rank + parent] = line.number("extCorrId").value_or(-1);
      return run_.add_call(process, thread, name, start, end);
    }
    if (type == "GroupApi" || type == "CollApi" || type == "P2pApi") {
      if (type != "GroupApi") groups_[of_rank + address] = parent;
      return run_.add_call(process, thread, name, start, end);
    }
    if (type == "ProxyCtrl") {
      const auto state = states_.find(address);
      run_.add_step(process, thread, state == states_.end() ? name : state->second, start, end);
      if (state != states_.end()) states_.erase(state);
      return;
    }
    if (type == "Coll" || type == "P2p") {
      PluginCollective made;
      made.group = line.text("commId");
      made.rank = line.number("rank").value_or(-1);
      made.name = function;
      made.type = element_type(line.text("details.dtype"));
      made.count = line.number("details.count").value_or(-1);
      made.sequence = line.number("details.seq").value_or(-1);
      made.is_p2p = type == "P2p";
      if (const auto call = groups_.find(of_rank + parent); call != groups_.end()) {
        if (const auto launch = launches_.find(of_rank + call->second); launch != launches_.end()) {
          made.external = launch->second;
        }
      }
      const std::string& plan = line.text("details.parentGroup");
      if (made.external >= 0 && !plan.empty()) {
        made.launch = of_rank + plan + ' ' + std::to_string(made.external);
      }
      run_.add_communicator(made.group, made.rank, std::nullopt, "");
      collectives_[of_rank + address] = run_.add(made);
      return run_.add_step(rank, type, name, start, end);
    }
    if (type == "KernelCh") {
      if (const auto of = collectives_.find(of_rank + parent); of != collectives_.end()) {
        run_.add_channel(of->second, start, end, line.number("details.pTimer"), device_stops_[address]);
      }
      return run_.add_step(rank, "channel " + line.text("details.channel"), name, start, end);
    }
    run_.add_step(rank, type, name, start, end);
  }

  PluginRun& run_;
  Run& into_;
  // By addresses, which plugins use again: the last one counts.
  std::map<std::string, std::string> states_;                   // of proxies
  std::map<std::string, std::optional<int64_t>> device_stops_;  // of channels
  std::map<std::string, std::string> groups_;                   // the group call, by a call in it
  std::map<std::string, int64_t> launches_;                     // the kernel, by its group call
  std::map<std::string, size_t> collectives_;
};

// ---------------------------------------------------------------- Chrome traces of the example plugin

/// An event begins and ends on lines of their own; what is written between the two belongs to it.
class ExampleTrace {
 public:
  explicit ExampleTrace(PluginRun& run, Run& into) : run_(run), into_(into) {}

  void read(const LineFields& line) {
    const std::string& phase = line.text("ph");
    if (phase == "b") return begin(line);
    if (phase == "e") return end(line);
    run_.skip("skipped_event", "lines of other kinds, or without a begin and an end, were left out");
  }

  void finish() {
    for (; !open_.empty(); open_.pop_back()) {
      run_.skip("skipped_event", "events without a begin or an end were left out");
    }
  }

 private:
  struct Open {
    std::string category;
    std::string name;
    std::string lane;
    std::optional<int64_t> start;
    std::optional<int64_t> device_start, device_end;
    std::optional<size_t> collective;
    int64_t group = 0;
  };

  void begin(const LineFields& line) {
    Open made{line.text("cat"), line.text("name"), line.text("cat"), line.time("ts"), {}, {}, {}, 0};
    if (made.category == "COLL" || made.category == "P2P") {
      PluginCollective of;
      of.group = line.text("args.CommHash");
      of.rank = line.number("args.Rank").value_or(-1);
      of.name = made.name;
      of.type = element_type(line.text("args.Datatype"));
      of.count = line.number("args.Count").value_or(-1);
      of.sequence = line.number("args.SeqNum").value_or(-1);
      of.is_p2p = made.category == "P2P";
      for (const Open& outer : open_) {
        if (outer.category == "GROUP")
          of.launch = of.group + ' ' + std::to_string(of.rank) + ' ' + std::to_string(outer.group);
      }
      run_.add_communicator(of.group, of.rank, std::nullopt, "");
      made.collective = run_.add(of);
    } else if (made.category == "GPU") {
      made.lane = "channel " + line.text("args.Channel");
      made.device_start = line.number("args.StartGpuClk");
      made.device_end = line.number("args.StopGpuClk");
      for (const Open& outer : open_) {
        if (outer.collective) made.collective = outer.collective;
      }
    } else if (made.category == "GROUP") {
      made.group = ++groups_;
    }
    open_.push_back(std::move(made));
  }

  void end(const LineFields& line) {
    const std::string& category = line.text("cat");
    const std::string& name = line.text("name");
    size_t at = open_.size();
    while (at > 0 && (open_[at - 1].category != category || open_[at - 1].name != name)) --at;
    if (at == 0) return run_.skip("unmatched_end", "ends of events that nothing has begun were left out");
    const Open of = open_[at - 1];
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at - 1));
    ++into_.events.ends;
    const auto end = line.time("ts");
    if (category == "GPU" && of.collective && of.device_end.value_or(0) > 0) {
      run_.add_channel(*of.collective, of.start, end, of.device_start, of.device_end);
    }
    if (!of.start || !end) return run_.skip("skipped_event", "events without a begin or an end were left out");
    run_.add_step("process " + line.text("pid"), of.lane, of.name, *of.start, *end);
  }

  PluginRun& run_;
  Run& into_;
  std::vector<Open> open_;
  int64_t groups_ = 0;
};

// ---------------------------------------------------------------- both

class Log {
 public:
  explicit Log(const Input& input)
      : source_(*input.source), lines_(source_), run_(new_run(input.path, "nccl-profiler")) {}

  Run read() {
    for (std::string_view line; lines_.next(line);) {
      ++line_number_;
      line = trim_json(line);
      if (line.ends_with(',')) line.remove_suffix(1);
      if (line.empty() || line == "[" || line == "]" || line == "{}" || line == "{}]") continue;
      ++run_.events.read;
      if (!parse(line)) {
        skip_damaged();
      } else if (fields_.text("ph").empty()) {
        json_lines_.read(fields_);
      } else {
        example_.read(fields_);
      }
    }
    run_.notes.add("damaged_input", damaged_lines_,
                   "lines that are no JSON object were left out, the first is line " + std::to_string(first_damaged_),
                   true);
    run_.notes.add("truncated_input", lines_.cut_lines(), "lines longer than 1 MB were cut", true);
    add_source(source_, run_, "damaged_input");
    example_.finish();
    plugin_run_.finish();
    if (run_.events.slices == 0)
      throw Error(run_.file, "is a log of an NCCL profiler plugin without an event that can be read");
    return std::move(run_);
  }

 private:
  /// Early versions of the example plugin write names and addresses without quotes among the arguments of calls.
  bool parse(std::string_view line) {
    if (fields_.parse(line)) return true;
    const size_t arguments = line.find(", \"args\"");
    return arguments != std::string_view::npos && line.ends_with("}}") &&
           fields_.parse(std::string(line.substr(0, arguments)) + "}");
  }

  void skip_damaged() {
    ++run_.events.skipped;
    if (!lines_.ended()) {
      run_.notes.add("truncated_input", 1, "the last line is cut off", true);
    } else if (damaged_lines_++ == 0) {
      first_damaged_ = line_number_;
    }
  }

  TextSource& source_;
  LineReader lines_;
  int64_t line_number_ = 0;
  int64_t damaged_lines_ = 0;
  int64_t first_damaged_ = 0;  // its line number
  LineFields fields_;
  Run run_;
  PluginRun plugin_run_{run_};
  JsonLines json_lines_{plugin_run_, run_};
  ExampleTrace example_{plugin_run_, run_};
};

}  // namespace

bool is_log(const Input& input) {
  if (!input.source) return false;
  const std::string_view head = trim_json(input.head);
  const bool is_example = head.starts_with('[') && contains(head, "\"ph\": \"b\"") &&
                          (contains(head, "\"cat\": \"GROUP_API\"") || contains(head, "\"cat\": \"GROUP\"") ||
                           contains(head, "\"CommHash\""));
  const bool is_lines = head.starts_with('{') && contains(head, "\"commId\"") &&
                        (contains(head, "\"ProfilerLifecycle\"") || contains(head, "\"ncclProfile"));
  return is_example || is_lines;
}

Run read_log(const Input& input, const ReadOptions&) {
  return Log(input).read();
}

}  // namespace cgpu::nccl_profiler
