#pragma once

#include <string>
#include <string_view>

namespace cgpu {

/// Bytes as text (RFC 4648, section 4), for pages that hold them.
std::string base64(std::string_view bytes);

}  // namespace cgpu
