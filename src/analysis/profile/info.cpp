// Table `info`: what the input is. Needs no completed run; O(n) in the slices for the time span.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/session_clock.h"
#include "analysis/tables.h"
#include "base/number_ranges.h"
#include "links/profile_selection.h"

namespace cgpu {

namespace {

/// The distinct texts in order of appearance, joined; their number where they are too many to show.
std::string distinct_text(const std::vector<std::string>& texts) {
  constexpr size_t kShown = 4;
  std::vector<std::string> distinct;
  for (const std::string& text : texts) {
    if (!text.empty() && std::find(distinct.begin(), distinct.end(), text) == distinct.end()) distinct.push_back(text);
  }
  if (distinct.size() > kShown) return std::to_string(distinct.size()) + " different values";
  return fmt::format("{}", fmt::join(distinct, ", "));
}

/// What the run holds: a call tree, measured launches, an op graph; a timeline where it has slices or nothing else.
std::vector<std::string> bodies_of(const Run& run) {
  std::vector<std::string> bodies;
  if (run.call_tree) bodies.emplace_back("call tree");
  if (run.launch_metrics) bodies.emplace_back("launch metrics");
  if (run.op_graph) bodies.emplace_back("op graph");
  if (bodies.empty() || slice_count(run) > 0) bodies.insert(bodies.begin(), "timeline");
  return bodies;
}

/// The rows of the table.
class InfoRows {
 public:
  InfoRows(Table& table, const Session& session) : table_(table), runs_(session.runs) {}

  void add(const std::string& key, std::string value, const std::string& about) {
    table_.append({key, value.empty() ? Cell() : Cell(std::move(value)), about});
  }
  void add(const std::string& key, int64_t value, const std::string& about) { add(key, std::to_string(value), about); }
  /// The sum of a count over the runs.
  void sum(const std::string& key, const std::function<int64_t(const Run&)>& count, const std::string& about) {
    int64_t total = 0;
    for (const Run& run : runs_) total += count(run);
    add(key, total, about);
  }
  /// The distinct texts of the runs.
  void each(const std::string& key, const std::function<std::string(const Run&)>& text, const std::string& about) {
    std::vector<std::string> texts;
    for (const Run& run : runs_) texts.push_back(text(run));
    add(key, distinct_text(texts), about);
  }

 private:
  Table& table_;
  const std::vector<Run>& runs_;
};

void add_ranks(InfoRows& rows, const Session& session) {
  size_t count = 0;
  std::vector<int64_t> ranks;
  std::optional<int64_t> world_size;
  for (const Run& run : session.runs) {
    const std::vector<int64_t> inside = ranks_inside(run);
    count += std::max<size_t>(inside.size(), 1);
    ranks.insert(ranks.end(), inside.begin(), inside.end());
    if (inside.empty() && (run.rank_known || session.runs.size() > 1)) ranks.push_back(run.rank);
    if (run.world_size) world_size = std::max(world_size.value_or(0), *run.world_size);
  }
  rows.add("ranks", static_cast<int64_t>(count), "ranks that the profiles are of");
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  if (!ranks.empty()) rows.add("rank_list", ranges_text(ranks), "which ranks");
  if (world_size) rows.add("world_size", *world_size, "ranks of the whole job");
}

void add_devices(InfoRows& rows, const Session& session) {
  int64_t used = 0;
  std::vector<std::string> names;
  for (const Run& run : session.runs) {
    const auto in_use = used_devices(run);
    used += static_cast<int64_t>(in_use.size());
    for (const Device& device : run.devices) {
      if (in_use.empty() || in_use.count(device.id) > 0) names.push_back(device.name);
    }
  }
  rows.add("devices", used, "devices on which something ran, counted for each rank");
  rows.add("device_names", distinct_text(names), "models of these devices");
}

void add_clock(InfoRows& rows, const Session& session) {
  const auto unix_runs =
      std::count_if(session.runs.begin(), session.runs.end(), [](const Run& run) { return run.clock_is_unix; });
  const bool all_unix = unix_runs == static_cast<std::ptrdiff_t>(session.runs.size());
  rows.add("clock",
           all_unix         ? "unix"
           : unix_runs == 0 ? "relative"
                            : "mixed",
           "unix: start_ns counts from 1970; relative: from the profile's own zero");

  std::optional<Interval> whole;
  int64_t longest = 0;
  for (const Run& run : session.runs) {
    const std::optional<Interval> extent = extent_of(run);
    if (!extent) continue;
    const Interval shifted{extent->begin + run.clock_base, extent->end + run.clock_base};
    longest = std::max(longest, shifted.end - shifted.begin);
    whole = whole ? Interval{std::min(whole->begin, shifted.begin), std::max(whole->end, shifted.end)} : shifted;
  }
  if (has_common_clock(session)) {
    rows.add("start_ns", whole ? std::to_string(whole->begin) : "", "first start");
    rows.add("span_ns", whole ? whole->end - whole->begin : 0, "from the first start to the last end");
  } else {
    rows.add("start_ns", "", "first start; absent, because the clocks of the ranks have no common zero");
    rows.add("span_ns", longest, "from the first start to the last end of the rank with the longest profile");
  }
}

void add_counts(InfoRows& rows) {
  rows.sum(
      "events", [](const Run& run) { return run.events.read; }, "events in the input");
  rows.sum("slices", slice_count, "events with a duration that were kept");
  rows.sum("device_slices", device_op_count, "of these, device ops");
  rows.sum(
      "instants", [](const Run& run) { return run.events.instants; }, "events without a duration");
  rows.sum(
      "counters", [](const Run& run) { return run.events.counters; }, "samples of counters");
  rows.sum(
      "memory_events", [](const Run& run) { return run.events.memory; }, "events of the memory allocator");
  rows.sum(
      "flows", [](const Run& run) { return run.events.flows; }, "ends of arrows between slices");
  rows.sum(
      "metadata_events", [](const Run& run) { return run.events.metadata; }, "names of processes and threads");
  rows.sum(
      "skipped_events", [](const Run& run) { return run.events.skipped; }, "events not kept; see the notes");
  rows.sum(
      "tracks", [](const Run& run) { return static_cast<int64_t>(run.timeline.tracks.size()); }, "threads and streams");
}

/// What only some formats have.
void add_rare_counts(InfoRows& rows, const Session& session) {
  const auto any = [&](int64_t EventCounts::*count) {
    return std::any_of(session.runs.begin(), session.runs.end(), [&](const Run& run) { return run.events.*count > 0; });
  };
  if (any(&EventCounts::ends)) {
    rows.sum(
        "end_events", [](const Run& run) { return run.events.ends; }, "ends of slices that are events of their own");
  }
  if (any(&EventCounts::samples)) {
    rows.sum(
        "stack_samples", [](const Run& run) { return run.events.samples; }, "samples of call stacks");
  }
}

void add_launches(InfoRows& rows, const Session& session) {
  const auto launches = [](const Run& run) -> int64_t {
    return run.launch_metrics ? static_cast<int64_t>(run.launch_metrics->launches.size()) : 0;
  };
  if (std::any_of(session.runs.begin(), session.runs.end(),
                  [](const Run& run) { return run.launch_metrics.has_value(); })) {
    rows.sum("profiled_launches", launches, "kernel launches that were measured one by one");
  }
}

void add_call_trees(InfoRows& rows, const Session& session) {
  if (std::none_of(session.runs.begin(), session.runs.end(),
                   [](const Run& run) { return run.call_tree.has_value(); })) {
    return;
  }
  rows.sum(
      "call_tree_nodes",
      [](const Run& run) { return run.call_tree ? static_cast<int64_t>(run.call_tree->nodes.size()) : 0; },
      "places in the program, with the root");
  rows.sum(
      "metrics", [](const Run& run) { return run.call_tree ? static_cast<int64_t>(run.call_tree->metrics.size()) : 0; },
      "metrics of the call tree, with those computed from others");
  rows.sum(
      "profiles",
      [](const Run& run) { return run.call_tree ? static_cast<int64_t>(run.call_tree->profiles.size()) : 0; },
      "threads and streams that the call tree is of");
}

void add_op_graphs(InfoRows& rows, const Session& session) {
  if (std::none_of(session.runs.begin(), session.runs.end(), [](const Run& run) { return run.op_graph.has_value(); })) {
    return;
  }
  const auto count = [](bool (*wanted)(const OpNode&)) {
    return [wanted](const Run& run) -> int64_t {
      return run.op_graph ? std::count_if(run.op_graph->nodes.begin(), run.op_graph->nodes.end(), wanted) : 0;
    };
  };
  rows.sum("graph_nodes", count([](const OpNode&) { return true; }), "nodes of execution traces");
  rows.sum("graph_nodes_with_duration", count([](const OpNode& node) { return node.duration.has_value(); }),
           "of these, nodes whose duration is known");
  rows.sum("graph_nodes_joined", count([](const OpNode& node) { return node.joined; }),
           "of these, nodes that are in the profile opened with the trace");
}

void add_sizes(InfoRows& rows, const Session& session) {
  rows.sum(
      "input_bytes", [](const Run& run) { return static_cast<int64_t>(run.input_bytes); }, "size of the input");
  rows.sum(
      "text_bytes", [](const Run& run) { return static_cast<int64_t>(run.text_bytes); },
      "size of the input, uncompressed");
  uint64_t resident = 0;
  int64_t events = 0;
  for (const Run& run : session.runs) {
    resident += (run.released_totals ? run.released_totals->bytes : run.timeline.bytes());
    events += run.events.read;
  }
  rows.add("resident_bytes_per_event",
           events == 0 ? "" : fmt::format("{:.1f}", static_cast<double>(resident) / static_cast<double>(events)),
           "memory held an event, names apart");
}

/// The profile's own facts, under a prefix so that none is mistaken for one of ours.
void add_metadata(InfoRows& rows, const Session& session) {
  std::vector<std::string> keys;
  std::map<std::string, std::vector<std::string>> values;
  const auto add = [&](const std::string& key, const std::string& value) {
    if (values.count(key) == 0) keys.push_back(key);
    values[key].push_back(value);
  };
  for (const Run& run : session.runs) {
    if (!run.exported_from.empty()) add("exported_from", run.exported_from);
    for (const auto& [key, value] : run.metadata) add(key, value);
  }
  for (const std::string& key : keys) rows.add("metadata." + key, distinct_text(values[key]), "as the profile says");
}

Table info_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions&) {
  const Session& session = facts.session();
  Table table = analysis.empty_table();
  if (session.runs.empty()) return table;

  InfoRows rows(table, session);
  rows.add("file", session.runs.size() == 1 ? session.runs[0].file : fmt::format("{}", fmt::join(session.inputs, ", ")),
           "what was opened");
  rows.each(
      "format", [](const Run& run) { return run.format; }, "format of the profile");
  rows.each(
      "format_version", [](const Run& run) { return run.format_version; }, "version of the format");
  std::vector<std::string> bodies;
  for (const Run& run : session.runs) {
    for (std::string& body : bodies_of(run)) bodies.push_back(std::move(body));
  }
  rows.add("bodies", distinct_text(bodies), "what the profile holds: timeline, call tree, launch metrics, op graph");
  rows.each(
      "host", [](const Run& run) { return run.host; }, "machine it was recorded on");
  add_ranks(rows, session);
  add_devices(rows, session);
  add_clock(rows, session);
  add_counts(rows);
  add_rare_counts(rows, session);
  add_launches(rows, session);
  add_call_trees(rows, session);
  add_op_graphs(rows, session);
  add_sizes(rows, session);
  add_metadata(rows, session);
  return table;
}

}  // namespace

Analysis info_analysis() {
  return {.name = "info",
          .about = "what the input is and what was read from it",
          .subject = Subject::profile,
          .columns = {key_column("key", "name of the fact"), text_column("value", "counts are summed over the ranks"),
                      text_column("about", "what the fact means")},
          .made_of = MadeOf::records,
          .whole = info_table};
}

}  // namespace cgpu
