// The options that every verb on a profile shares (session/input_options.h), and opening what they name.
#pragma once

#include <memory>

#include "cli/command_line.h"
#include "cli/terminal.h"
#include "model/run.h"
#include "session/input_options.h"
#include "session/open.h"
#include "session/opened_profile.h"

namespace cgpu {

/// Adds everything but the inputs themselves. `with_window`: the verb looks at a part of the time.
void add_input_options(Verb verb, InputOptions& options, bool with_window);

/// Adds what else is known of device ops, of those options: the classes of kernels, the captures of graphs.
void add_completion_options(Verb verb, InputOptions& options);

/// Opens what the options name, with a progress bar, and takes the selected part. Throws Error.
Session open_selected(const InputOptions& options);

/// The same, to ask for one table after another; also of a summary. Throws Error.
OpenedProfile opened_profile(const InputOptions& options);

/// What `options` say, with a progress bar on stderr that lasts as long as this object; warnings of damage go to
/// stderr.
class OpeningWithProgress {
 public:
  /// `exchange`: other processes that open ranks, too; may be null.
  explicit OpeningWithProgress(const InputOptions& options, Exchange* exchange = nullptr);
  const OpenOptions& options() const { return options_; }

 private:
  std::shared_ptr<ProgressBar> bar_;
  OpenOptions options_;
};

}  // namespace cgpu
