// Names of device functions and API calls in one spelling.
#pragma once

#include <string>
#include <string_view>

namespace cgpu {

/// Full name of a device function: `_Z...` demangled, `<unnamed>` and `{anonymous}` written "(anonymous namespace)",
/// and without the file and hash that nvcc puts into names that one file alone can see (module_ids.h).
/// A name that does not demangle is returned as it is.
std::string full_kernel_name(std::string_view name);

/// Short name: no return type, template arguments, call arguments, or anonymous namespaces
/// ("at::native::vectorized_elementwise_kernel").
std::string base_kernel_name(std::string_view full_name);

/// API call without version and per-thread-default-stream suffixes (`_v2`, `_v3020`, `_ptsz`, `_ptds`).
std::string_view api_name(std::string_view name);

}  // namespace cgpu
