// The options that every verb on a profile shares (session/input_options.h), and opening what they name.
#pragma once

#include "cli/command_line.h"
#include "session/input_options.h"
#include "session/open_options.h"
#include "session/opened_profile.h"
#include "session/profile_source.h"

namespace cgpu {

/// Adds everything but the inputs themselves. `with_window`: the verb looks at a part of the time.
void add_input_options(Verb verb, InputOptions& options, bool with_window);

/// Adds what else is known of device ops, of those options: the classes of kernels, the captures of graphs.
void add_completion_options(Verb verb, InputOptions& options);

/// What the options say, with a progress bar on stderr that lasts as long as the result and its copies; warnings of
/// damage go to stderr. `exchange`: other processes that open ranks, too; may be null.
OpenOptions with_progress(const InputOptions& options, Exchange* exchange = nullptr);

/// What the options name, to be opened with a progress bar. Throws Error.
ProfileSource source_of(const InputOptions& options, Exchange* exchange = nullptr);

/// Opens it, to ask for one table after another. Throws Error.
OpenedProfile opened_profile(const InputOptions& options);

}  // namespace cgpu
