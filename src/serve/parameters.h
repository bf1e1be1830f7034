// The parameters of a request, read strictly: what is missing, malformed, out of range or unknown is an error 400 that
// names it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/answer.h"

namespace cgpu {

class Parameters {
 public:
  /// `known`: the names that the request may have, each once.
  Parameters(const Request& request, std::initializer_list<std::string_view> known);

  std::optional<std::string> text(const std::string& name) const;
  std::string required_text(const std::string& name) const;
  /// A decimal integer from `least` to `most`.
  std::optional<int64_t> integer(const std::string& name, int64_t least, int64_t most) const;
  int64_t required_integer(const std::string& name, int64_t least, int64_t most) const;
  /// "1" or "0".
  bool flag(const std::string& name) const;
  /// "3,17,4"
  std::optional<std::vector<int64_t>> integers(const std::string& name, int64_t least, int64_t most) const;

 private:
  const Request& request_;
};

/// Throws RequestError.
int64_t parse_integer(std::string_view text, const std::string& name, int64_t least, int64_t most);

/// Times that the protocol knows: from the start of the session, also before it.
inline constexpr int64_t kLatestTime = int64_t{1} << 53;

}  // namespace cgpu
