#include "base/regex_set.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace cgpu {

RE2::Options regex_options(bool case_sensitive) {
  RE2::Options options(RE2::Latin1);
  options.set_case_sensitive(case_sensitive);
  options.set_log_errors(false);
  options.set_max_mem(64 << 20);
  return options;
}

RegexSet::RegexSet(bool case_sensitive) : set_(regex_options(case_sensitive), RE2::UNANCHORED) {}

void RegexSet::add(std::string_view regex) {
  std::string error;
  if (set_.Add(piece_of(regex), &error) < 0) {
    throw Error("bad regular expression '" + std::string(regex) + "': " + error);
  }
  ++size_;
}

std::vector<int> RegexSet::matches(std::string_view text) const {
  std::call_once(compiled_, [this] {
    if (!set_.Compile()) throw Error("the regular expressions take too much memory");
  });
  std::vector<int> matches;
  RE2::Set::ErrorInfo error{};
  if (!set_.Match(piece_of(text), nullptr, &error) && error.kind == RE2::Set::kNoError) return matches;
  if (set_.Match(piece_of(text), &matches, &error) || error.kind == RE2::Set::kNoError) return matches;
  matches.resize(size_);
  std::iota(matches.begin(), matches.end(), 0);
  return matches;
}

std::optional<size_t> RegexSet::first_match(std::string_view text) const {
  const std::vector<int> found = matches(text);
  const auto first = std::min_element(found.begin(), found.end());
  return first == found.end() ? std::nullopt : std::optional(static_cast<size_t>(*first));
}

}  // namespace cgpu
