// Programs of others that turn a format which only they can read into one that we do: without a shell, their messages
// thrown away.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace cgpu {

/// `path` as one word of a shell, for commands that are shown.
std::string shell_word(const std::string& path);

/// Where a program is found on PATH; of a name with a slash in it, which is a path already, that name. "" where it
/// leads to no program.
std::string find_program(const std::string& name);

/// The words as exec takes them. They must outlive the result.
std::vector<char*> exec_arguments(const std::vector<std::string>& words);

/// Runs a program, its input empty; its output goes to a new file, or away where `output` is "". Returns its exit
/// status, -1 where it could not be run or was ended by a signal. `while_it_runs` is called several times a second.
int run_quietly(const std::vector<std::string>& words, const std::string& output = "",
                const std::function<void()>& while_it_runs = nullptr);

}  // namespace cgpu
