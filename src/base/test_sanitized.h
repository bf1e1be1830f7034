#pragma once

namespace cgpu {

/// Whether the test is built with AddressSanitizer: it is slower, and what is freed stays with the process for a while.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

}  // namespace cgpu
