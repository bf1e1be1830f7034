// A built trace as the slow oracle reads it: plain structures, nothing shared with the builder's own accounts.
#pragma once

#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cgpu::builder::slow {

using Json = nlohmann::ordered_json;

struct Event {
  std::string category, name, pid, tid;
  int64_t start = 0;
  int64_t end = 0;
  int64_t correlation = -1;
  Json args;
  bool op = false, annotation = false, python = false, call = false, device = false;
  const Event* parent = nullptr;  // innermost host slice around it on its thread
  const Event* launch = nullptr;
  bool host() const { return op || annotation || python || call; }
  int64_t duration() const { return end - start; }
};

inline bool begins(const std::string& text, std::string_view with) {
  return text.compare(0, with.size(), with) == 0;
}
inline bool ends(const std::string& text, std::string_view with) {
  return text.size() >= with.size() && text.compare(text.size() - with.size(), with.size(), with) == 0;
}
inline bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Decimal microseconds to ns without a double on the way.
inline int64_t nanoseconds(const std::string& text) {
  const size_t dot = text.find('.');
  std::string digits = text.substr(0, dot);
  std::string decimals = dot == std::string::npos ? "" : text.substr(dot + 1);
  decimals.resize(3, '0');
  return std::stoll(digits + decimals);
}

/// Puts the values of "ts" and "dur" in quotes, so that the parser leaves their digits alone.
inline std::string quote_times(const std::string& text) {
  std::string out;
  size_t from = 0;
  while (true) {
    const size_t ts = text.find("\"ts\": ", from);
    const size_t dur = text.find("\"dur\": ", from);
    const size_t at = std::min(ts, dur);
    if (at == std::string::npos) break;
    const size_t value = at + (at == ts ? 6 : 7);
    const size_t end = text.find_first_not_of("0123456789.", value);
    out.append(text, from, value - from).append("\"").append(text, value, end - value).append("\"");
    from = end;
  }
  return out.append(text, from);
}

inline std::string plain(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

struct File {
  std::vector<Event> events;  // slices, in file order
  Json counts;
  int64_t first = INT64_MAX;  // start of the first slice
  std::vector<Json> memory;
};

inline File parse(const std::string& text) {
  if (!nlohmann::json::accept(text)) throw std::runtime_error("not valid JSON");
  const Json document = Json::parse(quote_times(text));
  File file;
  int64_t slices = 0, instants = 0, memory = 0, counters = 0, flows = 0, metadata = 0;
  for (const Json& json : document.at("traceEvents")) {
    const std::string phase = json.at("ph");
    if (phase == "s" || phase == "f") ++flows;
    if (phase == "M") ++metadata;
    if (phase == "C") ++counters;
    if (phase == "i" && json.at("name") == "[memory]") {
      ++memory;
      file.memory.push_back(json.at("args"));
    } else if (phase == "i") {
      ++instants;
    }
    if (phase != "X") continue;
    ++slices;
    Event e;
    e.category = json.at("cat");
    e.name = json.at("name");
    e.pid = plain(json.at("pid"));
    e.tid = plain(json.at("tid"));
    e.start = nanoseconds(json.at("ts"));
    e.end = e.start + nanoseconds(json.at("dur"));
    file.first = std::min(file.first, e.start);
    if (json.contains("args")) e.args = json["args"];
    if (e.args.contains("correlation")) e.correlation = e.args["correlation"];
    const bool range =
        begins(e.name, "ProfilerStep#") || begins(e.name, "Optimizer.") || begins(e.name, "enumerate(DataLoader)");
    e.op = e.category == "cpu_op" || (e.category == "Operator" && !range);
    e.annotation = e.category == "user_annotation" || (e.category == "Operator" && range);
    e.python = e.category == "python_function";
    e.call = e.category == "cuda_runtime" || e.category == "cuda_driver" || e.category == "Runtime";
    const std::set<std::string> kDevice{"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"};
    e.device = kDevice.count(e.category) > 0;
    file.events.push_back(std::move(e));
  }
  file.counts = {{"read", slices + instants + memory + counters + flows + metadata},
                 {"slices", slices},
                 {"instants", instants},
                 {"memory", memory},
                 {"counters", counters},
                 {"flows", flows},
                 {"metadata", metadata}};
  return file;
}

inline bool is_copy(const Event& e) {
  return begins(e.name, "Memcpy");
}
inline bool is_set(const Event& e) {
  return begins(e.name, "Memset");
}
inline bool is_kernel(const Event& e) {
  return e.category == "kernel" || e.category == "Kernel";
}
inline char kind_of(const Event& e) {
  return !is_kernel(e) ? 'm' : holds(e.name, "nccl") ? 'c' : 'k';
}
inline int64_t stream_of(const Event& e) {
  return e.args.at("stream");
}

inline void link(std::vector<Event>& events) {
  for (Event& e : events) {
    if (e.host()) {
      for (const Event& outer : events) {
        if (!outer.host() || &outer == &e || outer.pid != e.pid || outer.tid != e.tid) continue;
        if (outer.start > e.start || outer.end < e.end) continue;
        if (!e.parent || outer.duration() < e.parent->duration()) e.parent = &outer;
      }
    }
    if (e.device) {
      for (const Event& call : events) {
        if (call.call && call.correlation == e.correlation) e.launch = &call;
      }
    }
  }
}

}  // namespace cgpu::builder::slow
