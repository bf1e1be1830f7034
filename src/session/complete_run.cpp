#include "session/complete_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <vector>

#include "analysis/device/device_ops.h"
#include "base/error.h"
#include "base/text_source.h"
#include "hardware/stated_peaks.h"
#include "links/complete.h"
#include "model/lost_file.h"
#include "session/captures.h"

namespace cgpu {

KernelDictionary dictionary_of(const OpenOptions& options) {
  KernelDictionary dictionary;
  if (options.kernel_rules.empty()) return dictionary;
  constexpr size_t kMostBytes = size_t{4} << 20;
  dictionary.add_rules(read_small_text(options.kernel_rules, kMostBytes, "any list of rules (4 MB)"),
                       options.kernel_rules);
  return dictionary;
}

namespace {

/// Sets what the user says of the devices.
void describe_devices(Run& run, const OpenOptions& options) {
  if (options.peaks.empty() && options.device_model.empty()) return;
  if (run.devices.empty()) {
    for (const int32_t used : used_devices(run)) run.devices.emplace_back().id = used;
  }
  if (!options.peaks.empty()) {
    const StatedPeaks peaks = parse_stated_peaks(options.peaks, "--peak");
    for (Device& device : run.devices) device.stated_peaks = peaks;
  }
  if (options.device_model.empty()) return;
  const std::vector<DevicePeaks> models = find_device_models(options.device_model);
  if (models.size() != 1) {
    std::vector<std::string> names;
    for (const DevicePeaks& one : models.empty() ? known_devices() : models) names.push_back(one.name);
    throw Error(fmt::format("--device-model {}: {} (there are {})", options.device_model,
                            models.empty() ? "no such device is known" : "several devices are called that",
                            fmt::join(names, ", ")));
  }
  for (Device& device : run.devices) device.name = models.front().name;
}

/// Facts of devices that cannot be: more multiprocessors than the model has.
void check_devices(Run& run) {
  constexpr int64_t kMostMultiprocessors = 2048;  // several times what the largest devices have
  for (Device& device : run.devices) {
    if (!device.sm_count) continue;
    const auto model = find_device_peaks(device.name);
    const int64_t most = model && model->multiprocessors ? *model->multiprocessors : kMostMultiprocessors;
    if (*device.sm_count > 0 && *device.sm_count <= most) continue;
    run.notes.add("implausible_device", 1,
                  fmt::format("device {} cannot have {} multiprocessors; {}", device.id, *device.sm_count,
                              model ? "the number of its model is taken" : "the number is left out"));
    device.sm_count = model ? model->multiprocessors : std::nullopt;
  }
}

}  // namespace

void complete_run(Run& run, const OpenOptions& options, const KernelDictionary& dictionary, unsigned threads) {
  complete(run, dictionary, threads);
  join_captures(run, options, dictionary, threads);
  describe_devices(run, options);
  check_devices(run);
}

ReadOptions read_options(const OpenOptions& options) {
  ReadOptions read;
  read.threads = options.threads;
  read.input_format = options.input_format;
  read.left_out = [&](const std::string& why) {
    if (options.strict) throw Error(why + " (--strict)");
    if (options.warn) options.warn("left out: " + why);
  };
  return read;
}

void report_losses(const Run& run, const OpenOptions& options) {
  for (const Note& note : run.notes.all()) {
    if (!note.damage || note.code == kLostFile) continue;  // those were named when they were left out
    const std::string line =
        fmt::format("{}: {}{}", run.file, note.text, note.count > 1 ? fmt::format(" ({})", note.count) : "");
    if (options.strict) throw Error(line + " (--strict)");
    if (options.warn) options.warn(line);
  }
}

}  // namespace cgpu
