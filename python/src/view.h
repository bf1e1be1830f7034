// The viewer in one page, for Python.
#pragma once

#include <cstddef>
#include <string>

#include "session/opened_profile.h"
#include "work.h"

namespace cgpu::python {

/// A copy of the viewer (serve/static_copy.h) of at most so many bytes, for which the profile is opened once more.
/// `stopped` ends the opening. Throws Error, also for a summary.
std::string viewer_page(const OpenedProfile& profile, size_t most_bytes, bool with_arguments, const Stopped& stopped);

}  // namespace cgpu::python
