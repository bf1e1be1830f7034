#include "session/open.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "analysis/device/device_ops.h"
#include "base/error.h"
#include "base/text_source.h"
#include "hardware/stated_peaks.h"
#include "links/clocks.h"
#include "links/complete.h"
#include "links/profile_selection.h"
#include "model/lost_file.h"
#include "session/captures.h"
#include "session/summaries/release.h"

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

namespace {

Session read_with(const OpenOptions& options, const std::function<void(Run&)>& look) {
  ReadOptions read = read_options(options);
  if (options.progress) read.progress = [&](double share) { options.progress(OpeningPhase::reading, share); };
  return open_inputs(options.inputs, read, look);
}

/// All of them, those of other ranks released; nothing where some have to be joined after all.
std::optional<Session> read_ranks(const OpenOptions& options, const NumberList& ranks,
                                  const KernelDictionary& dictionary) {
  bool has_companion = false;
  Session session = read_with(options, [&](Run& run) {
    has_companion |= is_companion(run);
    const std::optional<int64_t> rank = claimed_rank_of(run);
    if (has_companion || !rank || ranks.contains(*rank) || !ranks_inside(run).empty()) return;
    complete_run(run, options, dictionary, options.threads);
    release_timeline(run);
  });
  const bool lacks_one = std::any_of(session.runs.begin(), session.runs.end(), [&](const Run& run) {
    return run.released_totals && (has_companion || ranks.contains(run.rank));
  });
  if (lacks_one) return std::nullopt;
  return session;
}

Session read_for(const OpenOptions& options, const NumberList& ranks, const KernelDictionary& dictionary) {
  const std::vector<std::string>& inputs = options.inputs;
  const bool has_stdin = std::find(inputs.begin(), inputs.end(), "-") != inputs.end();  // not to be read a second time
  if (!ranks.empty() && !has_stdin) {
    if (std::optional<Session> session = read_ranks(options, ranks, dictionary)) return std::move(*session);
  }
  return read_with(options, nullptr);
}

}  // namespace

Session read_session(const OpenOptions& options) {
  Session session = read_with(options, nullptr);
  for (const Run& run : session.runs) report_losses(run, options);
  return session;
}

Session open_session(const OpenOptions& options, const NumberList& ranks) {
  const KernelDictionary dictionary = dictionary_of(options);
  Session session = read_for(options, ranks, dictionary);
  for (const Run& run : session.runs) report_losses(run, options);
  for (size_t i = 0; i < session.runs.size(); ++i) {
    if (session.runs[i].released_totals) continue;
    if (options.progress) {
      options.progress(OpeningPhase::linking, static_cast<double>(i) / static_cast<double>(session.runs.size()));
    }
    complete_run(session.runs[i], options, dictionary, options.threads);
  }
  align_clocks(session);
  return session;
}

}  // namespace cgpu
