// Table `devices`: the devices that the profile describes or that ran something, with the rates that they could reach.
#include <fmt/format.h>

#include <map>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/tables.h"
#include "hardware/stated_peaks.h"

namespace cgpu {

namespace {

struct KnownDevice {
  Device device;
  bool used = false;
};

std::map<int32_t, KnownDevice> devices_of(const Run& run) {
  std::map<int32_t, KnownDevice> devices;
  for (const Device& device : run.devices) devices[device.id].device = device;
  for (const int32_t id : used_devices(run)) devices[id].used = true;
  return devices;
}

Cell known(const std::string& text) {
  return text.empty() ? Cell() : Cell(text);
}

std::string rates_text(const std::vector<PeakRate>& rates) {
  std::string text;
  for (const PeakRate& rate : rates) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {:.5g} TFLOP/s", rate.type, rate.flops / 1e12);
  }
  return text;
}

Table list_devices(const Analysis& analysis, const SessionFacts& facts, const TableOptions&) {
  Table table = analysis.empty_table();
  for (const Run& run : facts.session().runs) {
    for (const auto& [id, known_device] : devices_of(run)) {
      const Device& device = known_device.device;
      Row row = {run.rank,
                 int64_t{id},
                 known(device.name),
                 known(device.vendor),
                 cell(device.sm_count),
                 cell(device.memory_bytes),
                 {},
                 {},
                 {},
                 known(device.compute_capability),
                 int64_t{known_device.used},
                 {},
                 {}};
      if (const auto peaks = find_device_peaks(device.name, device.stated_peaks)) {
        row[6] = cell(peaks->memory_bandwidth);
        row[7] = known(rates_text(peaks->flops));
        row[8] = known(peaks->source);
        row[11] = cell(peaks->link_bandwidth);
        row[12] = known(rates_text(peaks->achievable));
      }
      table.append(row);
    }
  }
  return table;
}

}  // namespace

Analysis devices_analysis() {
  return {
      .name = "devices",
      .about = "the devices, with the peak rates of their model",
      .subject = Subject::profile,
      .columns = {rank_column(),
                  device_column(),
                  text_column("name", "model, as the profile says"),
                  text_column("vendor", "maker"),
                  count_column("sm_count", "multiprocessors or compute units"),
                  bytes_column("memory_bytes", "device memory"),
                  real_column("memory_bandwidth", "B/s", "peak rate of the device memory"),
                  text_column("peak_flops", "peak rate of dense arithmetic by type"),
                  text_column("source", "where the peak rates are from"),
                  text_column("compute_capability", "version of the architecture, as the profile says"),
                  {"used", ColumnType::integer, "", "1 where something ran on it, else 0", ColumnRole::text},
                  real_column("link_bandwidth", "B/s",
                              "peak rate to the other devices of its machine, all links together, one direction"),
                  text_column("achievable_flops",
                              "the best rate that was measured on this model for products of large matrices")},
      .applies =
          [](const ProfileCounts& counts) { return counts.devices + counts.device_ops + counts.measured_launches > 0; },
      .made_of = MadeOf::records,
      .whole = list_devices};
}

}  // namespace cgpu
