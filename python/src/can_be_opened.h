// Whether something in a folder is a profile, for lists of what there is.
#pragma once

#include <string>

namespace cgpu::python {

/// By the beginning of a file, and what lies in a folder. Small files of JSON, which may be anything, are read.
bool can_be_opened(const std::string& path);

}  // namespace cgpu::python
