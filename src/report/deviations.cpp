// The heat map of what the time of many devices goes to, against the usual of all of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/lower_median.h"
#include "report/cells.h"
#include "report/charts.h"
#include "report/figure.h"
#include "report/phrases.h"
#include "report/svg.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// Of fewer devices a bar each says it (draw_device_time).
constexpr size_t kFewestDevices = 4;
constexpr size_t kMostBands = 128;
constexpr size_t kMostColumns = 10;
/// Colours of each direction, the palest first (style.cpp).
constexpr int kShades = 5;

struct DeviceTimes {
  int64_t rank = 0;
  int64_t device = 0;
  std::map<std::string, int64_t> ns;  // by what it went to
};

/// In the order of gpu_time: what is busy from there, what is idle by its causes from `idle` where that is there.
std::vector<DeviceTimes> device_times(const Table& gpu_time, const Table* idle) {
  std::vector<DeviceTimes> devices;
  std::map<std::pair<int64_t, int64_t>, size_t> place;
  for (const RowView row : gpu_time.rows()) {
    DeviceTimes device{integer_of(gpu_time, row, "rank"), integer_of(gpu_time, row, "device"), {}};
    device.ns["compute"] = integer_of(gpu_time, row, "compute_ns");
    device.ns["communication"] = integer_of(gpu_time, row, "exposed_comm_ns");
    device.ns["copies"] = integer_of(gpu_time, row, "exposed_memory_ns");
    if (idle == nullptr) device.ns["idle"] = integer_of(gpu_time, row, "idle_ns");
    place[{device.rank, device.device}] = devices.size();
    devices.push_back(std::move(device));
  }
  if (idle == nullptr) return devices;
  for (const RowView row : idle->rows()) {
    const auto found = place.find({integer_of(*idle, row, "rank"), integer_of(*idle, row, "device")});
    if (found == place.end()) continue;
    devices[found->second].ns[as_words(text_of(*idle, row, "cause"))] += integer_of(*idle, row, "total_ns");
  }
  return devices;
}

/// How much more or less each device takes for one thing than the median device.
struct Deviations {
  std::string name;
  int64_t usual = 0;
  int64_t largest = 0;
  std::vector<int64_t> of_device;
};

std::vector<Deviations> deviations_of(const std::vector<DeviceTimes>& devices) {
  std::vector<std::string> names;
  for (const DeviceTimes& device : devices) {
    for (const auto& [name, ns] : device.ns) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  std::vector<Deviations> all;
  for (const std::string& name : names) {
    Deviations one{name, 0, 0, {}};
    for (const DeviceTimes& device : devices) {
      const auto found = device.ns.find(name);
      one.of_device.push_back(found == device.ns.end() ? 0 : found->second);
    }
    one.usual = lower_median(one.of_device);
    for (int64_t& ns : one.of_device) {
      ns -= one.usual;
      one.largest = std::max(one.largest, std::abs(ns));
    }
    if (one.largest > 0) all.push_back(std::move(one));
  }
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.largest > b.largest; });
  if (all.size() > kMostColumns) all.resize(kMostColumns);
  return all;
}

std::string shade_of(int64_t deviation, int64_t largest) {
  const double share = std::abs(static_cast<double>(deviation)) / static_cast<double>(largest);
  const int shade = static_cast<int>(std::lround(share * kShades));
  return shade == 0 ? "c-track" : fmt::format("{}{}", deviation > 0 ? "more" : "less", shade);
}

}  // namespace

std::string draw_deviations(const Table& gpu_time, const Table* idle) {
  const std::vector<DeviceTimes> devices = device_times(gpu_time, idle);
  if (devices.size() < kFewestDevices) return "";
  const std::vector<Deviations> columns = deviations_of(devices);
  if (columns.empty()) return "";

  constexpr double kLeft = 9;  // percent, for the ranks
  constexpr double kTop = 20;
  const size_t group = (devices.size() + kMostBands - 1) / kMostBands;
  const size_t bands = (devices.size() + group - 1) / group;
  const double height = std::clamp(400.0 / static_cast<double>(bands), 3.0, 18.0);
  const double width = (100 - kLeft) / static_cast<double>(columns.size());
  const size_t label_every = static_cast<size_t>(std::ceil(14 / height));
  const int64_t largest = columns.front().largest;
  Svg svg(kTop + height * static_cast<double>(bands), "Devices against the median device",
          fmt::format("{}, the largest deviation {}", counted(static_cast<int64_t>(devices.size()), "device"),
                      format_ns(largest)));
  for (size_t column = 0; column < columns.size(); ++column) {
    svg.text(kLeft + width * (static_cast<double>(column) + 0.5), 12, columns[column].name, Anchor::middle, "tick");
  }
  for (size_t band = 0; band < bands; ++band) {
    const double y = kTop + height * static_cast<double>(band);
    const size_t first = band * group;
    const size_t last = std::min(first + group, devices.size());
    if (band % label_every == 0) {
      const std::string ranks = last - first > 1 && devices[first].rank != devices[last - 1].rank
                                    ? fmt::format("{}\u2013{}", devices[first].rank, devices[last - 1].rank)
                                    : fmt::format("{}, {}", devices[first].rank, devices[first].device);
      svg.text(kLeft - 0.8, y + height / 2 + 4, ranks, Anchor::end, "tick");
    }
    for (size_t column = 0; column < columns.size(); ++column) {
      const std::vector<int64_t>& of_device = columns[column].of_device;
      size_t worst = first;
      for (size_t device = first; device < last; ++device) {
        if (std::abs(of_device[device]) > std::abs(of_device[worst])) worst = device;
      }
      const int64_t deviation = of_device[worst];
      svg.rect(kLeft + width * static_cast<double>(column) + 0.1, y, width - 0.2, height - (height > 6 ? 1 : 0),
               shade_of(deviation, largest),
               fmt::format("rank {}, {}: {} {} {}, where the median is {}", devices[worst].rank, devices[worst].device,
                           columns[column].name, format_ns(std::abs(deviation)), deviation < 0 ? "less" : "more",
                           format_ns(columns[column].usual)));
    }
  }
  std::string title = "What each device (rank, device) takes more or less time for than the median device";
  if (group > 1) title += fmt::format(", of every {} the one that deviates most", group);
  return figure(title,
                {{fmt::format("more{}", kShades), fmt::format("{} more", format_ns(largest))},
                 {"c-track", "as the median"},
                 {fmt::format("less{}", kShades), fmt::format("{} less", format_ns(largest))}},
                svg.finish());
}

}  // namespace cgpu
