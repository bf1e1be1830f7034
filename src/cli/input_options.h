// The options that every verb on a profile shares, and the opening of the profile that they describe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "model/run.h"

namespace cgpu {

enum class OpeningPhase : uint8_t { reading, linking };

struct InputOptions {
  std::vector<std::string> inputs;
  std::string input_format;
  std::string kernel_rules;  // file with rules of the user's own
  unsigned threads = 0;
  bool strict = false;
  std::string from;  // times from the start, with or without a unit
  std::string to;
  std::string step;  // N or N-M
  std::optional<int64_t> rank;
  std::string profile;  // of a call tree
  /// Called while the inputs are opened, besides what the terminal shows: what is being done, and which share of it is
  /// (0..1).
  std::function<void(OpeningPhase, double)> opening;
};

/// Adds everything but the inputs themselves. `with_window`: the verb looks at a part of the time.
void add_input_options(Verb verb, InputOptions& options, bool with_window);

/// Opens the inputs. `complete`: also links and classifies (every verb but `info`), then selects rank and time.
/// Losses go to stderr as warnings, or are an Error under --strict. Throws Error.
Session open_session(const InputOptions& options, bool complete);

/// "1500", "1.5ms", "2 s": nanoseconds, exactly. Throws Error naming `option`.
int64_t parse_time(const std::string& text, const std::string& option);

}  // namespace cgpu
