// What to do about copies between host and device.
#pragma once

namespace cgpu {

inline constexpr const char* kPackCopies =
    "Put many small copies into one: pack on the host, copy once, split on the device";
inline constexpr const char* kCopyBesideKernels =
    "Copy on a stream of its own while kernels run, in time before the data is needed; keep data on the device";

}  // namespace cgpu
