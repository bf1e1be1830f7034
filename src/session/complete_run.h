// What is done with one run when it is opened, by whoever opens it: how it is read, what the options say of it, and
// what follows from it (links/complete.h).
#pragma once

#include "kernels/dictionary.h"
#include "model/run.h"
#include "readers/common/read_options.h"
#include "session/open_options.h"

namespace cgpu {

/// The built-in rules for kernel classes, with the user's own before them. Throws Error.
KernelDictionary dictionary_of(const OpenOptions& options);

/// How the options say to read.
ReadOptions read_options(const OpenOptions& options);

/// Completes a run that was read, with what the options say of its devices and of the captures of its graphs.
void complete_run(Run& run, const OpenOptions& options, const KernelDictionary& dictionary, unsigned threads);

/// Passes the losses of a run to `warn`, or throws the first one under `strict`.
void report_losses(const Run& run, const OpenOptions& options);

}  // namespace cgpu
