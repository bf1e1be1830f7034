// The options that every verb on a profile shares, and what they say of opening (session/open.h) and of the part that
// is looked at (session/selection.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/terminal.h"
#include "model/run.h"
#include "session/open.h"
#include "session/selection.h"

namespace cgpu {

struct InputOptions {
  std::vector<std::string> inputs;
  std::string input_format;
  std::string kernel_rules;
  std::string peaks;
  std::string capture;
  unsigned threads = 0;
  bool strict = false;
  std::string from;  // times from the start, with or without a unit
  std::string to;
  std::string step;  // N or N-M
  std::string rank;  // numbers and ranges
  std::string device;
  std::string profile;  // of a call tree

  /// What they say. Warnings of damage go to stderr. Throws Error.
  OpenOptions open() const;
  Selection selection() const;
};

/// Adds everything but the inputs themselves. `with_window`: the verb looks at a part of the time.
void add_input_options(Verb verb, InputOptions& options, bool with_window);

/// Opens what the options name, with a progress bar, and takes the selected part. Throws Error.
Session open_selected(const InputOptions& options);

/// `options` with a progress bar on stderr that lasts as long as the returned object.
class OpeningWithProgress {
 public:
  explicit OpeningWithProgress(const InputOptions& options);
  const OpenOptions& options() const { return options_; }

 private:
  std::shared_ptr<ProgressBar> bar_;
  OpenOptions options_;
};

}  // namespace cgpu
