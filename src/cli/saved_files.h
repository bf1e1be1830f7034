// What the page of `cgpu view` saves besides exports: the report, as `cgpu report -o` writes it, and a copy of itself,
// as `cgpu view -o` writes it.
#pragma once

#include <vector>

#include "cli/input_options.h"
#include "serve/viewed_profile.h"

namespace cgpu {

/// Of the profile that these options open. Each file opens it again when it is made, one after another: that takes as
/// long, and as much memory, as the verb does. None where an input is a stream; no copy of a summary.
std::vector<SavedFile> saved_files(const InputOptions& input);

}  // namespace cgpu
