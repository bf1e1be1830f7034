// The viewer in one page, for Python.
#pragma once

#include <cstddef>
#include <string>

#include "session/opened_profile.h"
#include "work.h"

namespace cgpu::python {

/// A copy of the viewer (serve/viewer_copy.h) of at most so many bytes, for which the profile is opened once more.
/// `engine_page`: a path, or empty. `stopped` ends the opening. Throws Error, also for a summary.
std::string viewer_page(const OpenedProfile& profile, size_t most_bytes, bool with_arguments,
                        const std::string& engine_page, const Stopped& stopped);

}  // namespace cgpu::python
