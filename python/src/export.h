// A profile written for other tools, for Python.
#pragma once

#include <string>

#include "session/opened_profile.h"

namespace cgpu::python {

/// As `cgpu export` writes it: `format` "pftrace", "json", "folded", "pprof", "chakra" or "sqlite", "" for that of the
/// name of the file; of Chakra a file a rank. Of traces with the `arguments` of events, or without, which is quicker
/// and smaller; of stacks `metric`, "" for the main one. Throws Error.
void export_profile(const OpenedProfile& profile, const std::string& path, const std::string& format, bool arguments,
                    const std::string& metric);

}  // namespace cgpu::python
