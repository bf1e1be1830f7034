// Files of a folder that should be ranks and cannot be read.
#pragma once

namespace cgpu {

/// The code of the note on them. Each was named when that was found.
inline constexpr const char* kLostFile = "lost_file";

}  // namespace cgpu
