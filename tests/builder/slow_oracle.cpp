#include "slow_oracle.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "slow_trace.h"

namespace cgpu::builder {

namespace {

using namespace slow;

struct Sum {
  int64_t count = 0, total = 0, min = INT64_MAX, max = 0;
  void add(int64_t ns) {
    ++count;
    total += ns;
    min = std::min(min, ns);
    max = std::max(max, ns);
  }
  Json json() const { return {{"count", count}, {"total_ns", total}, {"min_ns", min}, {"max_ns", max}}; }
};

template <class Map>
Json sums(const Map& map) {
  Json json = Json::object();
  for (const auto& [name, sum] : map) json[name] = sum.json();
  return json;
}

/// Length of the time in which `wanted(kinds running)` holds, over the elementary intervals between all bounds.
template <class Wanted>
int64_t measure(const std::vector<const Event*>& ops, Wanted wanted) {
  std::vector<std::tuple<int64_t, int, char>> edges;
  for (const Event* e : ops) {
    edges.emplace_back(e->start, 1, kind_of(*e));
    edges.emplace_back(e->end, -1, kind_of(*e));
  }
  std::sort(edges.begin(), edges.end());
  std::map<char, int> running;
  int64_t length = 0;
  for (size_t i = 0; i < edges.size(); ++i) {
    running[std::get<2>(edges[i])] += std::get<1>(edges[i]);
    if (i + 1 < edges.size() && wanted(running['k'] > 0, running['c'] > 0, running['m'] > 0)) {
      length += std::get<0>(edges[i + 1]) - std::get<0>(edges[i]);
    }
  }
  return length;
}

Json gpu_time(const std::vector<const Event*>& ops) {
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (const Event* e : ops) {
    first = std::min(first, e->start);
    last = std::max(last, e->end);
  }
  const int64_t busy = measure(ops, [](bool k, bool c, bool m) { return k || c || m; });
  return {{"span_ns", last - first},
          {"busy_ns", busy},
          {"compute_ns", measure(ops, [](bool k, bool, bool) { return k; })},
          {"comm_ns", measure(ops, [](bool, bool c, bool) { return c; })},
          {"memory_ns", measure(ops, [](bool, bool, bool m) { return m; })},
          {"exposed_comm_ns", measure(ops, [](bool k, bool c, bool) { return c && !k; })},
          {"exposed_memory_ns", measure(ops, [](bool k, bool c, bool m) { return m && !k && !c; })},
          {"idle_ns", last - first - busy}};
}

bool blocks(const std::string& name) {
  static const std::set<std::string> kBlocking{"cudaMemcpy", "cudaMemcpy2D", "hipMemcpy", "hipMemcpyWithStream",
                                               "cuMemcpyHtoD"};
  return kBlocking.count(name) > 0;
}

std::string cause_of_slice(const Event& e) {
  const std::string& n = e.name;
  if (e.call) {
    if (ends(n, "Synchronize")) return "synchronization";
    if (blocks(n)) return "blocking_copy";
    for (const char* part : {"Malloc", "MemAlloc", "HostAlloc", "HostRegister", "MemCreate", "MemMap", "Free"}) {
      if (holds(n, part)) return "allocation";
    }
    for (const char* part : {"ModuleLoad", "LibraryLoad", "LinkCreate"}) {
      if (holds(n, part)) return "module_load";
    }
    return "";
  }
  if (ends(n, "Synchronize") || (e.python && ends(n, "synchronize"))) return "synchronization";
  if (holds(n, "DataLoader")) return "data_loading";
  if (holds(n, "gc.collect") || begins(n, "gc:")) return "garbage_collection";
  if (holds(n, "acquire of _thread")) return "lock";
  return "";
}

Json idle(const std::vector<Event>& events, const std::vector<const Event*>& ops) {
  std::map<std::string, std::tuple<int64_t, int64_t, int64_t>> causes;  // count, total, max
  for (const Event* waking : ops) {
    // A gap ends at this op if nothing runs just before it, something has run before, and no op of the same start
    // is earlier in the file.
    bool first = false;
    int64_t gap_start = INT64_MIN;
    for (const Event* other : ops) {
      if (other->start < waking->start) gap_start = std::max(gap_start, other->end);
      if (other->start == waking->start && other < waking) first = true;
    }
    if (first || gap_start == INT64_MIN || gap_start >= waking->start) continue;
    std::map<std::string, int64_t> part;
    const Event* launch = waking->launch;
    if (!launch) {
      part["unknown"] += waking->start - gap_start;
    } else {
      const int64_t until = std::clamp(launch->start, gap_start, waking->start);
      std::set<int64_t> bounds{gap_start, until};
      for (const Event& e : events) {
        for (const int64_t t : {e.start, e.end}) {
          if (t > gap_start && t < until) bounds.insert(t);
        }
      }
      for (auto b = bounds.begin(); std::next(b) != bounds.end(); ++b) {
        std::string cause = "host_code";
        int64_t innermost = INT64_MIN;
        bool overhead = false;
        for (const Event& e : events) {
          if (e.start > *b || e.end <= *b) continue;
          overhead |= e.category == "overhead";
          if (!e.host() || e.pid != launch->pid || e.tid != launch->tid || e.start < innermost) continue;
          if (cause_of_slice(e).empty()) continue;
          cause = cause_of_slice(e);
          innermost = e.start;
        }
        part[overhead ? "profiler_overhead" : cause] += *std::next(b) - *b;
      }
      const int64_t returned = std::clamp(launch->end, until, waking->start);
      part[blocks(launch->name) ? "blocking_copy" : "launch_overhead"] += returned - until;
      bool own = false;
      for (const Event* other : ops) own |= other->end == gap_start && stream_of(*other) == stream_of(*waking);
      const bool begins_late = waking->start - returned >= 30000;
      part[!begins_late && (launch->end > gap_start || own) ? "launch_overhead" : "dependency"] +=
          waking->start - returned;
    }
    for (const auto& [cause, ns] : part) {
      if (ns == 0) continue;
      auto& [count, total, max] = causes[cause];
      ++count;
      total += ns;
      max = std::max(max, ns);
    }
  }
  Json json = Json::object();
  for (const auto& [cause, row] : causes) {
    json[cause] = {{"count", std::get<0>(row)}, {"total_ns", std::get<1>(row)}, {"max_ns", std::get<2>(row)}};
  }
  return json;
}

void streams(const std::vector<const Event*>& ops, Json& rank) {
  std::map<int64_t, std::vector<const Event*>> by_stream;
  for (const Event* e : ops) by_stream[stream_of(*e)].push_back(e);
  rank["streams"] = Json::array();
  rank["idle_streams"] = Json::array();
  for (auto& [id, list] : by_stream) {
    std::stable_sort(list.begin(), list.end(), [](const Event* a, const Event* b) { return a->start < b->start; });
    std::map<std::string, std::pair<int64_t, int64_t>> waits;
    int64_t end = list.front()->start;
    for (const Event* e : list) {
      if (e->start > end) {
        const bool host = e->launch && e->launch->start > end;
        auto& [count, total] = waits[host ? "host_wait" : e->start - end < 30'000 ? "kernel_wait" : "other"];
        ++count;
        total += e->start - end;
      }
      end = std::max(end, e->end);
    }
    rank["streams"].push_back({{"stream", id},
                               {"count", list.size()},
                               {"busy_ns", measure(list, [](bool k, bool c, bool m) { return k || c || m; })},
                               {"first_ns", list.front()->start},
                               {"last_ns", end}});
    for (const auto& [category, wait] : waits) {
      rank["idle_streams"].push_back(
          {{"stream", id}, {"category", category}, {"count", wait.first}, {"total_ns", wait.second}});
    }
  }
}

Json launches(const std::vector<Event>& events) {
  struct Row {
    int64_t count = 0, cpu = 0, delay = 0, delay_max = 0, unlinked = 0;
  };
  std::map<std::string, Row> rows;
  for (const Event& call : events) {
    if (!call.call) continue;
    const Event* first = nullptr;
    for (const Event& e : events) {
      if (e.launch == &call && (!first || e.start < first->start)) first = &e;
    }
    Row& row = rows[call.name];
    if (!first) {
      ++row.unlinked;
      continue;
    }
    const int64_t delay = std::max<int64_t>(0, first->start - call.end);
    ++row.count;
    row.cpu += call.duration();
    row.delay += delay;
    row.delay_max = std::max(row.delay_max, delay);
  }
  Json json = Json::object();
  for (const auto& [name, row] : rows) {
    if (row.count == 0) continue;
    json[name] = {{"count", row.count},
                  {"cpu_total_ns", row.cpu},
                  {"delay_total_ns", row.delay},
                  {"delay_max_ns", row.delay_max},
                  {"unlinked", row.unlinked}};
  }
  return json;
}

const Event* op_around(const Event* e) {
  for (e = e->parent; e && !e->op; e = e->parent) {
  }
  return e;
}

Json ops_json(const std::vector<Event>& events) {
  struct Row {
    int64_t count = 0, cpu_total = 0, cpu_self = 0, device_total = 0, device_self = 0;
  };
  std::map<std::string, Row> rows;
  for (const Event& e : events) {
    if (!e.op) continue;
    Row& row = rows[e.name];
    ++row.count;
    row.cpu_self += e.duration();
    bool nested = false;
    for (const Event* outer = op_around(&e); outer; outer = op_around(outer)) nested |= outer->name == e.name;
    if (!nested) row.cpu_total += e.duration();
    if (const Event* outer = op_around(&e)) rows[outer->name].cpu_self -= e.duration();
  }
  for (const Event& e : events) {
    if (!e.launch) continue;
    const Event* op = op_around(e.launch);
    if (op) rows[op->name].device_self += e.duration();
    std::set<std::string> names;
    for (; op; op = op_around(op)) names.insert(op->name);
    for (const std::string& name : names) rows[name].device_total += e.duration();
  }
  Json json = Json::object();
  for (const auto& [name, r] : rows) {
    json[name] = {{"count", r.count},
                  {"cpu_total_ns", r.cpu_total},
                  {"cpu_self_ns", r.cpu_self},
                  {"device_total_ns", r.device_total},
                  {"device_self_ns", r.device_self}};
  }
  return json;
}

Json ranges_json(const std::vector<Event>& events) {
  std::map<std::string, std::array<int64_t, 4>> rows;
  for (const Event& e : events) {
    if (!e.annotation) continue;
    auto& row = rows[e.name];
    ++row[0];
    row[1] += e.duration();
  }
  for (const Event& e : events) {
    if (!e.launch) continue;
    std::set<std::string> names;
    for (const Event* outer = e.launch->parent; outer; outer = outer->parent) {
      if (outer->annotation) names.insert(outer->name);
    }
    for (const std::string& name : names) {
      ++rows[name][2];
      rows[name][3] += e.duration();
    }
  }
  Json json = Json::object();
  for (const auto& [name, r] : rows) {
    json[name] = {{"count", r[0]}, {"total_ns", r[1]}, {"device_ops", r[2]}, {"device_ns", r[3]}};
  }
  return json;
}

Json steps_json(const std::vector<Event>& events) {
  std::vector<const Event*> marks;
  for (const Event& e : events) {
    if (e.annotation && begins(e.name, "ProfilerStep#")) marks.push_back(&e);
  }
  std::sort(marks.begin(), marks.end(), [](const Event* a, const Event* b) { return a->start < b->start; });
  Json json = Json::array();
  int64_t before = INT64_MIN;
  for (const Event* mark : marks) {
    const int64_t start = std::max(mark->start, before);
    int64_t end = std::max(mark->end, start);
    int64_t count = 0;
    for (const Event& e : events) {
      if (!e.launch || e.launch->start < mark->start || e.launch->start >= mark->end) continue;
      end = std::max(end, e.end);
      ++count;
    }
    json.push_back({{"step", std::stoll(mark->name.substr(13))},
                    {"start_ns", start},
                    {"end_ns", end},
                    {"duration_ns", end - start},
                    {"device_ops", count}});
    before = end;
  }
  return json;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Json transfers_json(const std::vector<const Event*>& ops) {
  std::map<std::tuple<std::string, std::string, std::string>, std::tuple<int64_t, std::optional<int64_t>, int64_t>>
      rows;
  for (const Event* e : ops) {
    if (!is_copy(*e) && !is_set(*e)) continue;
    std::tuple<std::string, std::string, std::string> key{"Memset", "", "device"};
    if (is_copy(*e)) {
      const size_t open = e->name.find('('), arrow = e->name.find(" -> "), close = e->name.find(')');
      key = {e->name.substr(7, open - 8), lower(e->name.substr(open + 1, arrow - open - 1)),
             lower(e->name.substr(arrow + 4, close - arrow - 4))};
    }
    auto& [count, bytes, total] = rows[key];
    ++count;
    if (e->args.contains("bytes")) bytes = bytes.value_or(0) + e->args["bytes"].get<int64_t>();
    total += e->duration();
  }
  Json json = Json::array();
  for (const auto& [key, row] : rows) {
    const auto& [count, bytes, total] = row;
    json.push_back({{"kind", std::get<0>(key)},
                    {"src_memory", std::get<1>(key)},
                    {"dst_memory", std::get<2>(key)},
                    {"count", count},
                    {"bytes", bytes ? Json(*bytes) : Json()},
                    {"total_ns", total}});
  }
  return json;
}

Json memory_json(const std::vector<Json>& memory) {
  struct Row {
    std::optional<int64_t> allocated, reserved;
    int64_t count = 0;
  };
  std::map<int64_t, Row> rows;
  for (const Json& args : memory) {
    Row& row = rows[args.at("Device Id").get<int64_t>()];
    row.count += args.at("Bytes").get<int64_t>() > 0;
    if (!args.contains("Total Allocated")) continue;
    row.allocated = std::max(row.allocated.value_or(INT64_MIN), args.at("Total Allocated").get<int64_t>());
    row.reserved = std::max(row.reserved.value_or(INT64_MIN), args.at("Total Reserved").get<int64_t>());
  }
  Json json = Json::array();
  for (const auto& [device, row] : rows) {
    json.push_back({{"device", device},
                    {"peak_allocated_bytes", row.allocated ? Json(*row.allocated) : Json()},
                    {"peak_reserved_bytes", row.reserved ? Json(*row.reserved) : Json()},
                    {"allocations", row.count}});
  }
  return json;
}

Json rank_json(const File& file) {
  std::vector<const Event*> ops;
  int64_t orphans = 0;
  std::map<std::string, Sum> kernels, api;
  std::map<std::string, int64_t> types{{"kernel", 0}, {"memcpy", 0}, {"memset", 0}};
  for (const Event& e : file.events) {
    if (e.call) api[e.name].add(e.duration());
    if (!e.device) continue;
    ops.push_back(&e);
    orphans += e.launch == nullptr;
    ++types[is_kernel(e) ? "kernel" : is_copy(e) ? "memcpy" : "memset"];
    if (is_kernel(e)) kernels[e.name].add(e.duration());
  }
  Json rank;
  rank["first_slice_ns"] = file.first;
  rank["events"] = file.counts;
  rank["device_ops"] = {
      {"kernel", types["kernel"]}, {"memcpy", types["memcpy"]}, {"memset", types["memset"]}, {"total", ops.size()}};
  rank["orphans"] = orphans;
  rank["gpu_time"] = gpu_time(ops);
  rank["idle"] = idle(file.events, ops);
  streams(ops, rank);
  rank["kernels"] = sums(kernels);
  rank["api"] = sums(api);
  rank["launches"] = launches(file.events);
  rank["transfers"] = transfers_json(ops);
  rank["ops"] = ops_json(file.events);
  rank["ranges"] = ranges_json(file.events);
  rank["steps"] = steps_json(file.events);
  rank["memory"] = memory_json(file.memory);
  return rank;
}

Json collectives_json(const std::vector<File>& files) {
  using Key = std::pair<std::string, std::string>;
  std::map<Key, std::vector<std::vector<const Event*>>> rows;  // per rank that takes part, in order of start
  for (const File& file : files) {
    std::map<Key, std::vector<const Event*>> own;
    for (const Event& e : file.events) {
      if (!e.device || kind_of(e) != 'c') continue;
      Key key;
      if (e.args.contains("Collective name")) {
        key = {e.args["Collective name"], e.args["Process Group Name"]};
      } else {
        const std::pair<const char*, const char*> kNames[] = {{"AllReduce", "allreduce"},
                                                              {"AllGather", "allgather"},
                                                              {"ReduceScatter", "reduce_scatter"},
                                                              {"SendRecv", "send_recv"}};
        for (const auto& [in_kernel, name] : kNames) {
          if (holds(e.name, in_kernel)) key.first = name;
        }
      }
      own[key].push_back(&e);
    }
    for (auto& [key, list] : own) {
      std::sort(list.begin(), list.end(), [](const Event* a, const Event* b) { return a->start < b->start; });
      rows[key].push_back(list);
    }
  }
  Json json = Json::array();
  for (const auto& [key, ranks] : rows) {
    int64_t bytes = 0, total = 0, shortest = 0, wait = 0;
    bool said = true;
    for (size_t k = 0; k < ranks.front().size(); ++k) {
      int64_t latest = INT64_MIN, least = INT64_MAX;
      for (const auto& list : ranks) {
        latest = std::max(latest, list.at(k)->start);
        least = std::min(least, list.at(k)->duration());
        total += list.at(k)->duration();
      }
      for (const auto& list : ranks) wait += latest - list.at(k)->start;
      shortest += least;
      const Json& args = ranks.front()[k]->args;
      said = args.contains("dtype");
      if (!said) continue;
      bytes += std::max(args["In msg nelems"].get<int64_t>(), args["Out msg nelems"].get<int64_t>()) *
               (args["dtype"] == "Float" ? 4 : 2);
    }
    json.push_back({{"name", key.first},
                    {"group", said ? Json(key.second) : Json()},
                    {"ranks", ranks.size()},
                    {"count", ranks.front().size()},
                    {"bytes", said ? Json(bytes) : Json()},
                    {"total_ns", total},
                    {"shortest_total_ns", shortest},
                    {"wait_ns", ranks.size() > 1 ? Json(wait) : Json()}});
  }
  return json;
}

}  // namespace

Json slow_truth(const std::vector<std::string>& texts) {
  std::vector<File> files;
  for (const std::string& text : texts) files.push_back(parse(text));
  Json json;
  for (File& file : files) {
    link(file.events);
    json["ranks"].push_back(rank_json(file));
  }
  json["collectives"] = collectives_json(files);
  return json;
}

}  // namespace cgpu::builder
