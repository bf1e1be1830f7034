// Table `counters`: what was sampled beside the slices (metrics of devices, memory traffic, power, clocks), by counter.
// O(n) in the samples, O(n log n) where they do not come in order of time.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"
#include "base/ascii.h"
#include "base/parse_number.h"

namespace cgpu {

namespace {

/// The device in the name of what has the counter: "GPU 3", "NPU 0", "GPU 3 Counters".
std::optional<int64_t> device_of_counter(std::string_view owner) {
  for (const std::string_view start : {"GPU ", "NPU "}) {
    if (!owner.starts_with(start)) continue;
    const std::string_view rest = owner.substr(start.size());
    size_t digits = 0;
    while (digits < rest.size() && is_digit(rest[digits])) ++digits;
    if (digits == rest.size() || rest[digits] == ' ') return parse_number(rest.substr(0, digits));
  }
  return std::nullopt;
}

/// The unit in brackets at the end of a counter's name, "HBM 0/Read (B/s)", "SMs Active [Throughput %]", or the last
/// word of it, "APP/DDR KB"; empty for other names.
std::string_view unit_of_counter(std::string_view name) {
  static constexpr std::array<std::string_view, 27> kUnits = {
      "%",    "Hz",   "kHz",  "MHz", "GHz", "B", "bytes", "KB", "KiB", "MB", "MiB", "GB", "GiB", "B/s",
      "KB/s", "MB/s", "GB/s", "W",   "mW",  "J", "V",     "mV", "C",   "ns", "us",  "ms", "s"};
  if (!name.empty() && (name.back() == ')' || name.back() == ']')) name.remove_suffix(1);
  const size_t at = name.find_last_of(" ([/");
  // "B/s" has a slash in it.
  for (const size_t begin : {at == std::string_view::npos ? at : name.find_last_of(" ([", at), at}) {
    if (begin == std::string_view::npos) continue;
    const std::string_view word = name.substr(begin + 1);
    if (std::find(kUnits.begin(), kUnits.end(), word) != kUnits.end()) return word;
  }
  return {};
}

struct CounterSample {
  int64_t time = 0;
  double value = 0;
};

/// The mean over time of a value that holds until the next sample; absent where all samples are of one moment.
std::optional<double> mean_over_time(const std::vector<CounterSample>& samples) {
  const auto length = static_cast<double>(samples.back().time - samples.front().time);
  if (length <= 0) return std::nullopt;
  double sum = 0;
  for (size_t i = 0; i + 1 < samples.size(); ++i) {
    sum += samples[i].value * (static_cast<double>(samples[i + 1].time - samples[i].time) / length);
  }
  return sum;
}

void append_counters(const RunInSession& run, Table& table) {
  const Counters& counters = run.timeline().counters;
  std::vector<std::vector<CounterSample>> samples(counters.tracks.size());
  for (size_t i = 0; i < counters.track.size(); ++i) {
    if (std::isfinite(counters.value[i])) {
      samples[counters.track[i]].push_back({counters.time[i], counters.value[i]});
    }
  }
  for (size_t track = 0; track < samples.size(); ++track) {
    std::vector<CounterSample>& of = samples[track];
    if (of.empty()) continue;
    const auto earlier = [](const CounterSample& a, const CounterSample& b) { return a.time < b.time; };
    if (!std::is_sorted(of.begin(), of.end(), earlier)) std::stable_sort(of.begin(), of.end(), earlier);
    const auto smaller = [](const CounterSample& a, const CounterSample& b) { return a.value < b.value; };
    const auto [least, most] = std::minmax_element(of.begin(), of.end(), smaller);
    long double sum = 0;  // of doubles, which cannot overflow it
    for (const CounterSample& sample : of) sum += sample.value;
    const auto mean = static_cast<double>(sum / static_cast<long double>(of.size()));
    const CounterTrack& counter = counters.tracks[track];
    const std::string_view unit = unit_of_counter(counter.name);
    table.append({run.run().rank, cell(device_of_counter(counter.process)), counter.name,
                  unit.empty() ? Cell() : cell(unit), static_cast<int64_t>(of.size()), least->value, mean, most->value,
                  cell(mean_over_time(of)), of.front().time, of.back().time, counter.process});
  }
}

}  // namespace

Analysis counters_analysis() {
  return {.name = "counters",
          .about = "counters that were sampled: metrics of devices, memory traffic, power, clocks",
          .columns = {rank_column(),
                      number_column("device", "number of the device; absent for counters of the host and of processes"),
                      key_column("name", "name of the counter"),
                      text_column("unit", "as its name says; absent where it does not"),
                      count_column("samples", "how many there are"), real_column("min", "", "smallest value"),
                      real_column("mean", "", "mean of the samples, each counting once"),
                      real_column("max", "", "greatest value"),
                      real_column("time_mean", "",
                                  "mean over time, each value holding until the next sample; absent for one moment"),
                      moment_column("first_ns", "first sample"), moment_column("last_ns", "last sample"),
                      key_column("owner", "the device, process or adapter that has it, as the profile says")},
          .applies = [](const ProfileCounts& counts) { return counts.counter_samples > 0; },
          .fold = fold_of<RowsByRun<append_counters>>};
}

}  // namespace cgpu
