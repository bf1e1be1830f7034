#include "readers/caliper/profile.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/credentials.h"
#include "base/decimal.h"
#include "base/demangle.h"
#include "base/json_text.h"
#include "base/parse_number.h"
#include "model/time_range.h"

namespace cgpu::caliper {

namespace {

/// Whole numbers that a double holds exactly.
std::optional<int64_t> whole(double number) {
  constexpr double kMost = 9007199254740992.0;
  if (!(std::abs(number) <= kMost) || std::floor(number) != number) return std::nullopt;
  return static_cast<int64_t>(number);
}

/// Nanoseconds of a number of seconds.
std::optional<int64_t> nanoseconds(const Value& seconds) {
  const auto decimal = Decimal::parse(seconds.text);
  const auto ns = decimal ? decimal->scaled(9) : std::nullopt;
  return ns && is_time(*ns) ? ns : std::nullopt;
}

}  // namespace

uint32_t Profile::add_column(const Attribute& attribute) {
  Column column;
  column.attribute = attribute;
  column.role = column_role(attribute);
  column.inclusive = is_inclusive(attribute.name);
  columns_.push_back(std::move(column));
  return static_cast<uint32_t>(columns_.size() - 1);
}

NodeIndex Profile::region(NodeIndex parent, std::string_view name) {
  CallPlace region;
  region.name = tree_.names().intern(valid_utf8(demangle(name)));
  return tree_.child(parent, region);
}

NodeIndex Profile::device_work(NodeIndex parent, std::string_view activity, std::string_view kernel) {
  if (!kernel.empty()) return region(parent, kernel);
  return activity.empty() || activity == "kernel" ? parent : region(parent, activity);
}

NodeIndex Profile::source(NodeIndex parent, std::string_view file_and_line, std::string_view module) {
  const size_t colon = file_and_line.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return parent;  // "UNKNOWN"
  CallPlace line;
  line.kind = NodeKind::line;
  line.file = tree_.names().intern(valid_utf8(file_and_line.substr(0, colon)));
  line.module = tree_.names().intern(valid_utf8(module));
  const std::string_view digits = file_and_line.substr(colon + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), line.line);
  return tree_.child(parent, line);
}

uint32_t Profile::profile_of(std::optional<int64_t> rank, std::optional<int64_t> thread) {
  const auto [at, is_new] = profiles_.try_emplace({rank, thread}, 0);
  if (is_new) {
    CallProfile profile;
    if (rank) profile.name = "rank " + std::to_string(*rank);
    if (thread) profile.name += (rank ? " thread " : "thread ") + std::to_string(*thread);
    profile.rank = rank;
    profile.thread = thread;
    at->second = tree_.add_profile(std::move(profile));
  }
  return at->second;
}

MetricIndex Profile::metric_of_column(Column& column) {
  if (!column.metric) {
    column.metric = tree_.add_metric(metric_of(column.attribute), combine_of(column.attribute.name));
  }
  return *column.metric;
}

void Profile::add_record(NodeIndex node, const std::vector<Value>& values) {
  std::optional<int64_t> rank;
  std::optional<int64_t> thread;
  bool in_series = false;
  bool is_interval = false;
  for (const Value& value : values) {
    const ColumnRole role = columns_[value.column].role;
    if (role == ColumnRole::rank) rank = whole(value.number);
    if (role == ColumnRole::thread) thread = whole(value.number);
    in_series = in_series || role == ColumnRole::interval_number;
    is_interval = is_interval || role == ColumnRole::interval_duration;
  }
  if (is_interval) add_interval(node, values, rank);
  for (const Value& value : values) {
    Column& column = columns_[value.column];
    // Every record of an interval repeats its number of iterations; that of the interval itself counts.
    const bool counts = column.role == ColumnRole::metric ||
                        (column.role == ColumnRole::interval_iterations && (is_interval || !in_series));
    if (!counts) continue;
    if (!std::isfinite(value.number)) {
      run_.notes.add("invalid_number", 1, "values that are no finite number were left out", true);
      continue;
    }
    const MetricIndex metric = metric_of_column(column);
    const uint32_t profile = profile_of(rank, thread);
    const bool is_sum = combine_of(column.attribute.name) == Combine::sum;
    if (is_sum && (!column.inclusive || node == 0)) {
      tree_.add(profile, metric, node, value.number);  // what lies outside of all regions is the root's own
    } else if (is_sum || node != 0) {
      tree_.add_inclusive(profile, metric, node, value.number);
    }
  }
}

/// An interval of a time series: a slice, and counters of what was measured in it.
void Profile::add_interval(NodeIndex node, const std::vector<Value>& values, std::optional<int64_t> rank) {
  std::optional<int64_t> start;
  std::optional<int64_t> duration;
  for (const Value& value : values) {
    const ColumnRole role = columns_[value.column].role;
    if (role == ColumnRole::interval_start && !start) start = nanoseconds(value);  // the second is the next one's
    if (role == ColumnRole::interval_duration) duration = nanoseconds(value);
  }
  Timeline& timeline = run_.timeline;
  if (!start || !duration || *duration < 0 || timeline.slices.size() >= kNone - 1) {
    ++run_.events.read;
    ++run_.events.skipped;
    return run_.notes.add("skipped_event", 1, "intervals of a time series without a start or a length were left out");
  }
  if (!run_.clock_is_unix) {
    run_.clock_is_unix = true;
    run_.clock_base = *start;
    timeline.categories.push_back({"interval", SliceKind::annotation});
  }
  const auto [track, is_new] = interval_tracks_.try_emplace(rank, static_cast<TrackIndex>(timeline.tracks.size()));
  const std::string process = "rank " + std::to_string(rank.value_or(0));
  if (is_new) {
    Track row;
    row.kind = TrackKind::host_thread;
    row.process = process;
    row.thread = "time series";
    timeline.tracks.push_back(std::move(row));
  }
  const StringId name = node == 0 ? 0 : tree_.described(node).name;
  run_.add_slice({.start = *start - run_.clock_base,
                  .duration = *duration,
                  .name = timeline.names.intern(name == 0 ? "<outside regions>" : tree_.names()[name]),
                  .track = track->second});
  ++run_.events.read;
  for (const Value& value : values) {
    const Column& column = columns_[value.column];
    const bool counts = column.role == ColumnRole::metric || column.role == ColumnRole::interval_iterations;
    if (!counts || !std::isfinite(value.number)) continue;
    Counters& counters = timeline.counters;
    const auto [counter, is_first] =
        counters_.try_emplace({rank, column.attribute.name}, static_cast<uint32_t>(counters.tracks.size()));
    if (is_first) counters.tracks.push_back({process, metric_of(column.attribute).name});
    counters.track.push_back(counter->second);
    counters.time.push_back(*start - run_.clock_base);
    counters.value.push_back(value.number);
    ++run_.events.read;
    ++run_.events.counters;
  }
}

void Profile::add_fact(std::string_view key, std::string_view value) {
  constexpr size_t kLongest = 120;
  if (is_secret_key(key) || is_secret_value(value)) {
    ++secrets_;
    return;
  }
  if (key == "cali.caliper.version") run_.format_version = valid_utf8(value);
  if (key == "hostname" || (key == "cluster" && run_.host.empty())) run_.host = valid_utf8(value);
  if (key == "mpi.world.size" || key == "jobsize") {
    const auto size = parse_number(value);
    if (size && *size > 0) run_.world_size = size;
  }
  // Command lines may carry credentials that do not look like any.
  const bool is_list = value.starts_with('[') || value.starts_with('{');
  if (value.empty() || is_list || value.size() > kLongest || key == "cmdline") return;
  const std::string shown = valid_utf8(key);
  const auto same = [&](const auto& fact) { return fact.first == shown; };
  if (std::none_of(run_.metadata.begin(), run_.metadata.end(), same)) {
    run_.metadata.emplace_back(shown, valid_utf8(value));
  }
}

/// A quantity that the file gives twice, with and without what is below, is shown once: the tree has both of each.
void Profile::hide_doubles() {
  const auto column_named = [&](const std::string& name) -> Column* {
    for (Column& column : columns_) {
      if (column.metric && column.attribute.name == name) return &column;
    }
    return nullptr;
  };
  constexpr std::string_view kInclusive = "inclusive";
  for (Column& column : columns_) {
    const std::string& name = column.attribute.name;
    const size_t at = name.find(kInclusive);
    if (!column.metric || at == std::string::npos || !tree_.metric(*column.metric).additive) continue;
    std::string without = name;
    Column* other = column_named(without.erase(at, kInclusive.size() + 1));
    if (!other) other = column_named(std::string(name).replace(at, kInclusive.size(), "sum"));
    if (!other) continue;
    const bool is_better = !column.attribute.unit.empty() || !column.attribute.alias.empty();
    Column& hidden = is_better ? *other : column;
    tree_.metric(*hidden.metric).visible = false;
  }
}

void Profile::choose_main_metric() {
  CallTree& tree = *run_.call_tree;
  int best_score = -1;
  for (MetricIndex m = 0; m < tree.metrics.size(); ++m) {
    const Metric& metric = tree.metrics[m];
    const std::string& stored = metric.aliases.empty() ? metric.name : metric.aliases.front();
    const bool is_time = stored.find("time.") != std::string::npos || stored.find("duration") != std::string::npos;
    const bool is_device = stored.find("activity") != std::string::npos;
    const int score = (metric.visible ? 8 : 0) + (metric.additive ? 4 : 0) + (is_time ? 2 : 0) + (is_device ? 0 : 1);
    if (score <= best_score) continue;
    best_score = score;
    tree.main_metric = m;
  }
  if (tree.main_metric && !tree.find_metric("time")) tree.metrics[*tree.main_metric].aliases.emplace_back("time");
}

void Profile::finish() {
  hide_doubles();
  run_.call_tree = tree_.finish();
  choose_main_metric();
  run_.notes.add("ambiguous_value", tree_.ambiguous(),
                 "averages and ratios with several values for a region: there is no common one");
  run_.notes.add("credentials_present", secrets_,
                 "environment variables or values that look like credentials are in the file's metadata; they are not "
                 "shown here, but anybody with the file can read them");
  if (run_.call_tree->profiles.size() > 1 && !run_.world_size) {
    int64_t ranks = 0;
    for (const CallProfile& profile : run_.call_tree->profiles) {
      if (profile.rank) ranks = std::max(ranks, *profile.rank + 1);
    }
    if (ranks > 0) run_.world_size = ranks;
  }
}

}  // namespace cgpu::caliper
