// The exceptions of the project.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

namespace cgpu {

/// A text on one line and harmless to a terminal: control characters, which names of files may hold, become "?", line
/// ends and tabs a space. O(length).
std::string one_line(const std::string& text);

/// What went wrong with an input or a request, in one line that a user can act on.
/// Format: "FILE: what is wrong, where, and what to do"; the command line adds "cgpu: " and exits with 2.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(one_line(message)) {}
  Error(const std::string& file, const std::string& message) : std::runtime_error(one_line(file + ": " + message)) {}
};

/// That there is not enough memory to open a file. No Error: a folder must not be read without the file.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(const std::string& file)
      : text_(file +
              ": needs more memory than there is: --threads 1 keeps fewer ranks open at once; else give fewer "
              "of them, or use a machine with more memory") {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

}  // namespace cgpu
