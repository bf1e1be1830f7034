// Regular expressions (RE2) that are looked for at once, in O(length of the text).
#pragma once

#include <re2/re2.h>
#include <re2/set.h>

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cgpu {

/// Any bytes may be in a text and count as Latin-1; what is wrong is not printed.
RE2::Options regex_options(bool case_sensitive = true);

inline re2::StringPiece piece_of(std::string_view text) {
  return {text.data(), text.size()};
}

/// From several threads at a time, once all have been added. Compiled when it is first asked.
class RegexSet {
 public:
  explicit RegexSet(bool case_sensitive = true);
  /// Throws Error where it is not to be understood.
  void add(std::string_view regex);
  /// The numbers of those that match, from 0. Where the set runs out of memory, all of them: rather look at too many.
  std::vector<int> matches(std::string_view text) const;
  std::optional<size_t> first_match(std::string_view text) const;

 private:
  mutable RE2::Set set_;
  mutable std::once_flag compiled_;
  size_t size_ = 0;
};

}  // namespace cgpu
