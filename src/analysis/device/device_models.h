// The models of the devices that something ran on, over several runs: rates of a device are only compared with its
// peaks where all were of one model. A device that a profile does not describe is of the model of those that it does,
// where that is one: ROCm counts the devices that a process sees from 0, its kernels name the one of the machine.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analysis/device/device_ops.h"
#include "hardware/stated_peaks.h"
#include "model/run.h"

namespace cgpu {

class DeviceModels {
 public:
  void add(const Run& run) {
    std::map<int32_t, std::string> names;
    std::set<std::string> models;
    for (const Device& device : run.devices) {
      names[device.id] = device.name;
      if (!device.stated_peaks.empty()) stated_ = device.stated_peaks;
      models.insert(device.name);
    }
    for (const int32_t device : used_devices(run)) {
      const std::string& name = names[device];
      models_[name.empty() && models.size() == 1 ? *models.begin() : name] = true;
    }
  }
  void combine(DeviceModels&& other) {
    models_.merge(other.models_);
    if (stated_.empty()) stated_ = std::move(other.stated_);
  }

  /// The name of the only model; empty where there are several, or none is named.
  std::string only() const { return models_.size() == 1 ? models_.begin()->first : std::string(); }
  /// Of the only model, or what the user states of all devices.
  std::optional<DevicePeaks> peaks() const { return find_device_peaks(only(), stated_); }

  template <typename Archive>
  void members(Archive& archive) {
    archive(models_, stated_);
  }

 private:
  std::map<std::string, bool> models_;
  StatedPeaks stated_;
};

}  // namespace cgpu
