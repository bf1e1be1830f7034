// Programs of others that turn a format which only they can read into one that we do: without a shell, their messages
// thrown away.
#pragma once

#include <string>
#include <vector>

namespace cgpu {

/// `path` as one word of a shell, for commands that are shown.
std::string shell_word(const std::string& path);

/// Whether a program is found on PATH.
bool is_on_path(const std::string& program);

/// Runs a program, its input empty; its output goes to a new file, or away where `output` is "". Returns its exit
/// status, -1 where it could not be run or was ended by a signal.
int run_quietly(const std::vector<std::string>& words, const std::string& output = "");

}  // namespace cgpu
