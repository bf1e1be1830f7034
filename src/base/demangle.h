// Demangles the symbols of C++ and Rust: from the linker's spelling to that of the source.
#pragma once

#include <string>
#include <string_view>

namespace cgpu {

/// A symbol of C++ (`_Z...`) or Rust (`_R...`, or the older `_ZN...17h<hash>E`) in its source spelling; Rust's hashes
/// are left out. Anything else, and what does not demangle, is returned as it is. O(length of the result), at most
/// 64 kB: a symbol can stand for a text exponentially longer than itself, and such ones stay mangled.
std::string demangle(std::string_view symbol);

}  // namespace cgpu
