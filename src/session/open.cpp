#include "session/open.h"

#include <fmt/format.h>

#include <memory>

#include "analysis/device/device_ops.h"
#include "base/error.h"
#include "base/text_source.h"
#include "hardware/stated_peaks.h"
#include "links/clocks.h"
#include "links/complete.h"
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

void complete_run(Run& run, const OpenOptions& options, const KernelDictionary& dictionary, unsigned threads) {
  complete(run, dictionary, threads);
  join_captures(run, options, dictionary, threads);
  if (options.peaks.empty()) return;
  const StatedPeaks peaks = parse_stated_peaks(options.peaks, "--peak");
  if (run.devices.empty()) {
    for (const int32_t used : used_devices(run)) run.devices.emplace_back().id = used;
  }
  for (Device& device : run.devices) device.stated_peaks = peaks;
}

void report_losses(const Run& run, const OpenOptions& options) {
  for (const Note& note : run.notes.all()) {
    if (!note.damage) continue;
    const std::string line =
        fmt::format("{}: {}{}", run.file, note.text, note.count > 1 ? fmt::format(" ({})", note.count) : "");
    if (options.strict) throw Error(line + " (--strict)");
    if (options.warn) options.warn(line);
  }
}

Session read_session(const OpenOptions& options) {
  ReadOptions read;
  read.threads = options.threads;
  read.input_format = options.input_format;
  if (options.progress) read.progress = [&](double share) { options.progress(OpeningPhase::reading, share); };
  Session session = open_inputs(options.inputs, read);
  for (const Run& run : session.runs) report_losses(run, options);
  return session;
}

Session open_session(const OpenOptions& options) {
  const KernelDictionary dictionary = dictionary_of(options);
  Session session = read_session(options);
  for (size_t i = 0; i < session.runs.size(); ++i) {
    if (options.progress) {
      options.progress(OpeningPhase::linking, static_cast<double>(i) / static_cast<double>(session.runs.size()));
    }
    complete_run(session.runs[i], options, dictionary, options.threads);
  }
  align_clocks(session);
  return session;
}

}  // namespace cgpu
