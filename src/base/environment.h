// Environment variables.
#pragma once

#include <cstdlib>
#include <string>

namespace cgpu {

/// An environment variable, "" where it is not set.
inline std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace cgpu
