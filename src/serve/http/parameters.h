// The parameters of a request, read strictly: what is missing, malformed, out of range or unknown is an error 400 that
// names it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http/answer.h"

namespace cgpu {

/// A part of the session, in ns from its start: from <= time < to.
struct TimeWindow {
  std::optional<int64_t> from;
  std::optional<int64_t> to;
};

class Parameters {
 public:
  /// `known`: the names that the request may have, each once.
  Parameters(const Request& request, std::initializer_list<std::string_view> known);

  std::optional<std::string> text(const std::string& name) const;
  std::string required_text(const std::string& name) const;
  /// A decimal integer from `least` to `most`.
  std::optional<int64_t> integer(const std::string& name, int64_t least, int64_t most) const;
  int64_t required_integer(const std::string& name, int64_t least, int64_t most) const;
  /// A time inside the session, which lasts `span`.
  std::optional<int64_t> time(const std::string& name, int64_t span) const;
  /// `from` and `to`: times inside the session, not empty where both are given.
  TimeWindow window(int64_t span) const;
  /// "1" or "0".
  bool flag(const std::string& name) const;
  /// "3,17,4"
  std::optional<std::vector<int64_t>> integers(const std::string& name, int64_t least, int64_t most) const;

 private:
  const Request& request_;
};

/// Throws RequestError.
int64_t parse_integer(std::string_view text, const std::string& name, int64_t least, int64_t most);

}  // namespace cgpu
