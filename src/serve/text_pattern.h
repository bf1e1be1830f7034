// What a search looks for: a text or a regular expression, in any case. O(text).
#pragma once

#include <re2/re2.h>

#include <string>
#include <string_view>

#include "serve/http/answer.h"

namespace cgpu {

class TextPattern {
 public:
  /// Throws RequestError where the text is no regular expression.
  TextPattern(const std::string& text, bool regex) : pattern_(text, options(regex)) {
    if (!pattern_.ok()) throw RequestError(kBadRequest, "q: " + pattern_.error());
  }
  bool is_in(std::string_view text) const {
    return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern_);
  }
  bool is(std::string_view text) const { return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), pattern_); }

 private:
  static RE2::Options options(bool regex) {
    RE2::Options options;
    options.set_case_sensitive(false);
    options.set_literal(!regex);
    options.set_log_errors(false);
    return options;
  }
  RE2 pattern_;
};

}  // namespace cgpu
