// Names of device functions that one source file alone can see, without the file and the hash that nvcc puts into them:
// these are different for each path, each build and each version of the file.
#pragma once

#include <string>
#include <string_view>

namespace cgpu {

/// "_Z6kernelPi" for "__nv_static_38__8a3c2f1b_9_kernel_cu_1a2b3c4d__Z6kernelPi"; other names as they are.
std::string_view without_module_prefix(std::string_view symbol);

/// "(anonymous namespace)::f()" for "_GLOBAL__N__8a3c2f1b_9_kernel_cu_1a2b3c4d::f()", and "f()" for
/// "_INTERNAL_8a3c2f1b_9_kernel_cu_1a2b3c4d::f()", wherever they are in a name that is not mangled.
std::string without_module_ids(std::string name);

/// Whether an identifier of a mangled name is such a namespace.
bool is_module_id(std::string_view identifier);

}  // namespace cgpu
