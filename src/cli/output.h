// Where results go: stdout, or the file given with -o.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "cli/input_options.h"

namespace cgpu {

/// Throws Error where `path` ("" or "-" for stdout) is one of the inputs, also by another name or inside a folder that
/// is one profile: an output never destroys what it was made from. For before the work.
void check_output(const std::string& path, const InputOptions& input);

/// Calls `write` with the stream of `path` ("" or "-" for stdout). Throws Error where it cannot be written completely;
/// the file is then as it was (base/whole_file.h).
void write_output(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace cgpu
