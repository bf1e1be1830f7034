#include "cli/input_options.h"

#include <memory>
#include <string>
#include <utility>

#include "cli/terminal.h"
#include "session/selection/selection.h"

namespace cgpu {

void add_input_options(Verb verb, InputOptions& options, bool with_window) {
  verb.add_option("--input-format", options.input_format, "Read the input as this format instead of recognising it");
  verb.add_option("--threads", options.threads, "Threads to read with (default: all)");
  verb.add_flag("--strict", options.strict, "Treat damaged input as an error (exit 2) instead of a warning");
  if (!with_window) return;
  verb.add_option("--from", options.from, "Leave out what comes before this time: 1500 (ns), 250us, 1.5ms, 2s");
  verb.add_option("--to", options.to, "Leave out what comes after this time, from the start");
  verb.add_option("--step", options.step, "Only this iteration, or iterations N-M");
  verb.add_option("--rank", options.rank, "Only this rank, or these: 0,2,8-15");
  verb.add_option("--device", options.device, "Only what ran on this device, or on these: 0,2,4-7");
  verb.add_option("--profile", options.profile,
                  "Only this thread or stream of a call tree: its name or number in table profiles");
  add_completion_options(verb, options);
  verb.add_option(
      "--peak", options.peaks,
      "Peak rates of the devices that are not known, or to compare with instead: bf16=400TFLOP/s,memory=2TB/s");
  verb.add_option("--device-model", options.device_model,
                  "What the devices are, where the profile does not say it: MI300X, H100 SXM");
}

void add_completion_options(Verb verb, InputOptions& options) {
  verb.add_option("--kernel-rules", options.kernel_rules,
                  "File with rules for kernel classes, asked before the built-in ones");
  verb.add_option("--capture", options.capture,
                  "Profile of the capture of the graphs that the input replays (default: those in a folder "
                  "capture_traces beside it)");
}

OpenOptions with_progress(const InputOptions& options, Exchange* exchange) {
  OpenOptions open = options.open();
  open.exchange = exchange;
  open.warn = [](const std::string& line) { say("warning: " + line); };
  open.progress = [bar = std::make_shared<ProgressBar>("reading " + options.inputs.front())](OpeningPhase phase,
                                                                                             double share) {
    if (phase == OpeningPhase::reading) bar->update(share);
  };
  return open;
}

ProfileSource source_of(const InputOptions& options, Exchange* exchange) {
  Selection selection = options.selection();  // validate before opening
  return ProfileSource(with_progress(options, exchange), std::move(selection));
}

OpenedProfile opened_profile(const InputOptions& options) {
  const OpenOptions open = with_progress(options);
  return OpenedProfile(options, open.progress, open.warn);
}

}  // namespace cgpu
