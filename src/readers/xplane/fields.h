// The fields of the messages in an XPlane profile, by the names that the format's public description gives them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cgpu::xplane {

namespace space {
enum : uint32_t { kPlanes = 1, kErrors = 2, kWarnings = 3, kHosts = 4 };
}
namespace plane {
enum : uint32_t { kId = 1, kName = 2, kLines = 3, kEventMetadata = 4, kStatMetadata = 5, kStats = 6 };
}
namespace line {
enum : uint32_t { kId = 1, kName = 2, kTimestamp = 3, kEvents = 4, kDisplayName = 11 };  // timestamp in ns
}
namespace event {
enum : uint32_t { kMetadata = 1, kOffset = 2, kDuration = 3, kStats = 4, kOccurrences = 5 };  // times in ps
}
namespace metadata {
enum : uint32_t { kId = 1, kName = 2, kDisplayName = 4, kStats = 5 };
}
namespace stat {
enum : uint32_t { kMetadata = 1, kDouble = 2, kUnsigned = 3, kSigned = 4, kText = 5, kBytes = 6, kReference = 7 };
}
/// An entry of a map.
namespace entry {
enum : uint32_t { kKey = 1, kValue = 2 };
}

}  // namespace cgpu::xplane
