// What the program was built with: for reports of mistakes.
#pragma once

namespace cgpu {

/// Two lines, the second without its end: the compiler, the type of the build and the page of the viewer; the
/// libraries.
extern const char* const built_with;

}  // namespace cgpu
