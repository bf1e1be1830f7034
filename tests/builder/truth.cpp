#include "truth.h"

#include <map>
#include <optional>
#include <string>

#include "header.h"

namespace cgpu::builder {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json to_json(const Stat& s) {
  return {{"count", s.count}, {"total_ns", s.total}, {"min_ns", s.min}, {"max_ns", s.max}};
}
Json to_json(const OpTotal& o) {
  return {{"count", o.count},
          {"cpu_total_ns", o.cpu_total},
          {"cpu_self_ns", o.cpu_self},
          {"device_total_ns", o.device_total},
          {"device_self_ns", o.device_self}};
}
Json to_json(const RangeTotal& r) {
  return {{"count", r.count}, {"total_ns", r.total}, {"device_ops", r.device_ops}, {"device_ns", r.device_total}};
}

template <class T>
Json by_name(const Books::ByName<T>& table) {
  Json json = Json::object();
  for (const auto& [name, row] : std::map<std::string, T>(table.begin(), table.end())) json[name] = to_json(row);
  return json;
}

Json idle_json(const std::array<IdleTotal, kCauses>& idle) {
  Json json = Json::object();
  for (size_t i = 0; i < kCauses; ++i) {
    if (idle[i].count == 0) continue;
    json[std::string(text_of(static_cast<Cause>(i)))] = {
        {"count", idle[i].count}, {"total_ns", idle[i].total}, {"max_ns", idle[i].max}};
  }
  return json;
}

Json gpu_time(const Books& b) {
  const int64_t span = b.first_start ? b.all.end - *b.first_start : 0;
  const int64_t busy_without_memory = b.compute_or_communication.length;
  return {{"span_ns", span},
          {"busy_ns", b.all.length},
          {"compute_ns", b.compute.length},
          {"comm_ns", b.communication.length},
          {"memory_ns", b.memory_ops.length},
          {"exposed_comm_ns", busy_without_memory - b.compute.length},
          {"exposed_memory_ns", b.all.length - busy_without_memory},
          {"idle_ns", b.idle_total}};
}

Json launches_json(const Books& b) {
  Json json = Json::object();
  for (const auto& [name, l] : std::map<std::string, LaunchTotal>(b.launches.begin(), b.launches.end())) {
    json[name] = {{"count", l.cpu.count},
                  {"cpu_total_ns", l.cpu.total},
                  {"delay_total_ns", l.delay},
                  {"delay_max_ns", l.delay_max},
                  {"unlinked", b.api.at(name).count - l.cpu.count}};
  }
  return json;
}

Json steps_json(const Books& b) {
  Json json = Json::array();
  int64_t before = INT64_MIN;
  for (const StepTotal& step : b.steps) {
    const int64_t start = std::max(step.mark.start, before);
    const int64_t end = std::max({step.mark.end, step.device_end, start});
    json.push_back({{"step", step.number},
                    {"start_ns", start},
                    {"end_ns", end},
                    {"duration_ns", end - start},
                    {"device_ops", step.device_ops}});
    before = end;
  }
  return json;
}

Json rank_json(const Options& options, int rank, const RankTruth& truth) {
  const Books& b = truth.books;
  const EventCounts& e = truth.events;
  Json json;
  json["rank"] = rank;
  json["device"] = device_of(rank);
  json["device_name"] = device_name(options.era, options.vendor);
  json["base_time_ns"] = base_time(options.era);
  json["first_slice_ns"] = truth.first_slice;
  json["first_device_ns"] = value_or_null(b.first_start);
  json["events"] = {{"read", e.total()},      {"slices", e.slices}, {"instants", e.instants}, {"memory", e.memory},
                    {"counters", e.counters}, {"flows", e.flows},   {"metadata", e.metadata}};
  json["device_ops"] = {{"kernel", b.op_types[0]},
                        {"memcpy", b.op_types[1]},
                        {"memset", b.op_types[2]},
                        {"total", b.op_types[0] + b.op_types[1] + b.op_types[2]}};
  json["orphans"] = b.orphans;
  json["gpu_time"] = gpu_time(b);
  json["idle"] = idle_json(b.idle);
  json["planted"] = idle_json(b.plan);
  json["streams"] = Json::array();
  json["idle_streams"] = Json::array();
  for (const auto& [id, s] : b.streams) {
    json["streams"].push_back(
        {{"stream", id}, {"count", s.count}, {"busy_ns", s.busy.length}, {"first_ns", s.first}, {"last_ns", s.last}});
    for (const auto& [category, wait] : s.waits) {
      json["idle_streams"].push_back(
          {{"stream", id}, {"category", category}, {"count", wait.count}, {"total_ns", wait.total}});
    }
  }
  json["kernels"] = by_name(b.kernels);
  json["api"] = by_name(b.api);
  json["launches"] = launches_json(b);
  json["transfers"] = Json::array();
  for (const auto& [key, t] : b.transfers) {
    json["transfers"].push_back({{"kind", t.kind},
                                 {"src_memory", t.source},
                                 {"dst_memory", t.destination},
                                 {"count", t.count},
                                 {"bytes", value_or_null(t.bytes)},
                                 {"total_ns", t.total}});
  }
  json["ops"] = by_name(b.ops);
  json["ranges"] = by_name(b.ranges);
  json["steps"] = steps_json(b);
  json["memory"] = Json::array();
  for (const auto& [device, m] : b.memories) {
    json["memory"].push_back({{"device", device},
                              {"peak_allocated_bytes", value_or_null(m.peak_allocated)},
                              {"peak_reserved_bytes", value_or_null(m.peak_reserved)},
                              {"allocations", m.allocations}});
  }
  return json;
}

/// Over all ranks.
Json collectives_json(const Options& options, const std::vector<std::unique_ptr<RankTruth>>& ranks) {
  std::map<CollectiveKey, CollectiveTotal> all;
  for (const auto& rank : ranks) {
    for (const auto& [key, one] : rank->books.collectives) {
      CollectiveTotal& total = all[key];
      // Instances, bytes and shortest durations are the same on every rank; durations and waits are each rank's own.
      total.count = one.count;
      total.bytes = one.bytes;
      total.shortest = one.shortest;
      total.total += one.total;
      total.wait += one.wait;
      ++total.ranks;
    }
  }
  const bool silent = options.era == Era::y2021;  // says neither group nor size
  Json json = Json::array();
  for (const auto& [key, c] : all) {
    json.push_back({{"name", key.first},
                    {"group", silent ? Json() : Json(key.second)},
                    {"ranks", c.ranks},
                    {"count", c.count},
                    {"bytes", silent ? Json() : Json(c.bytes)},
                    {"total_ns", c.total},
                    {"shortest_total_ns", c.shortest},
                    {"wait_ns", c.ranks > 1 ? Json(c.wait) : Json()}});
  }
  return json;
}

}  // namespace

Json truth_json(const Options& options, const ModelSpec& model, const std::vector<std::unique_ptr<RankTruth>>& ranks) {
  Json json;
  json["schema"] = "trace-truth/1";
  json["options"] = {{"seed", options.seed},        {"model", model.name},
                     {"era", text_of(options.era)}, {"vendor", text_of(options.vendor)},
                     {"steps", options.steps},      {"layers", model.layers},
                     {"streams", options.streams},  {"ranks", options.ranks},
                     {"orphans", options.orphans},  {"shuffle", options.shuffle}};
  json["options"]["idle"] = Json::array();
  for (const Cause cause : options.idle) json["options"]["idle"].push_back(text_of(cause));
  json["ranks"] = Json::array();
  for (size_t i = 0; i < ranks.size(); ++i) json["ranks"].push_back(rank_json(options, static_cast<int>(i), *ranks[i]));
  json["collectives"] = collectives_json(options, ranks);
  return json;
}

}  // namespace cgpu::builder
