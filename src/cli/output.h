// Where results go: stdout, or the file given with -o.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace cgpu {

/// Calls `write` with the stream of `path` ("" for stdout). Throws Error where it cannot be written completely.
void write_output(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace cgpu
