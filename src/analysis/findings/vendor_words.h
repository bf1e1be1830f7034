// Suggestions in the words of the vendor of the devices and of the framework: rules name CUDA's calls and settings and
// PyTorch's, which are here replaced by those that do the same elsewhere. O(length of the text).
#pragma once

#include <string>
#include <string_view>

#include "model/run.h"

namespace cgpu {

/// "NVIDIA", "AMD", "Huawei", ... as the devices say, else as the calls of the runtime are named, "other" where they
/// are none of these vendors'; "" where there are no calls either.
std::string vendor_of(const Session& session);

/// Whether names of ops, kernels or frames are PyTorch's. O(names).
bool uses_pytorch(const Session& session);

/// Whether names are of files of Python, or PyTorch's. O(names).
bool uses_python(const Session& session);

/// A suggestion in the words of this vendor, and of PyTorch or of programs without a framework. `python`: whether they
/// run Python.
std::string in_words_of(std::string_view vendor, bool pytorch, std::string suggestion, bool python);

}  // namespace cgpu
