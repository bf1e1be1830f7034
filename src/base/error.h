// The one exception type of the project.
#pragma once

#include <stdexcept>
#include <string>

namespace cgpu {

/// What went wrong with an input or a request, in one line that a user can act on.
/// Format: "FILE: what is wrong, where, and what to do"; the command line adds "cgpu: " and exits with 2.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
  Error(const std::string& file, const std::string& message) : std::runtime_error(file + ": " + message) {}
};

}  // namespace cgpu
