// What to do about copies between host and device, and on devices.
#pragma once

namespace cgpu {

inline constexpr const char* kPackCopies =
    "Put many small copies into one: pack on the host, copy once, split on the device";
inline constexpr const char* kCopyBesideKernels =
    "Copy on a stream of its own while kernels run, in time before the data is needed; keep data on the device";
inline constexpr const char* kSendLess =
    "Send fewer bytes (narrower types, only what changed, compression), or keep the data on the device";
inline constexpr const char* kPageLock =
    "Use page-locked memory (pin_memory=True, cudaHostAlloc) with copies that do not block (non_blocking=True): they run "
    "beside kernels, at the speed of the link";
inline constexpr const char* kPrefetchPages =
    "Move managed memory before it is touched: initialise it on the device that uses it, cudaMemPrefetchAsync before the "
    "kernels and before the host reads; or copy explicitly (cudaMemcpyAsync), beside kernels";
inline constexpr const char* kCopyWithoutBlocking =
    "Copy without blocking (cudaMemcpyAsync, non_blocking=True, page-locked memory), and wait only where the data is "
    "used";
inline constexpr const char* kReadValuesLess =
    "Read values of the device less often, or those of an earlier step: an op whose result the host needs cannot be made "
    "non-blocking. Keep conditions and counts on the device (torch.where, masks in place of nonzero and of indexing by "
    "booleans, output of a known size)";
inline constexpr const char* kReadEarlierValues =
    "Copy without blocking and read the value of an earlier iteration, or read it less often; keep conditions and counts "
    "on the device";
inline constexpr const char* kCopyLessOnDevice =
    "Copy less on the device: write results where they are needed (out=, buffers that are used again), views in the "
    "place of copies (contiguous, clone, cat, repeat), layouts that the next op takes as they are";

}  // namespace cgpu
