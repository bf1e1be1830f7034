// What goes wrong, in the words of a program in Python instead of those of the command line.
#pragma once

#include <string>

namespace cgpu::python {

/// An error that names options as the command line has them ("--where: ...", "--from soon: ..."), with the names of
/// arguments ("where: ...", "from_=soon: ..."). Commands in backquotes, and options of other programs, stay as they
/// are.
std::string in_words_of_python(const std::string& message);

}  // namespace cgpu::python
