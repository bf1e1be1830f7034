// Text for people that knows which parts of it say that something changed for the worse or the better, so that a
// terminal can colour them. Characters that cannot be seen are written as escapes (unicode.h).
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "table/unicode.h"

namespace cgpu {

class MarkedText {
 public:
  MarkedText() = default;
  template <std::convertible_to<std::string_view> Text>
  MarkedText(const Text& text) : text_(printable_lines(text)) {}  // NOLINT(google-explicit-constructor): no marks
  /// A change that costs more (`more_cost` > 0) or less (< 0).
  MarkedText(std::string_view change, double more_cost) : MarkedText(change) {
    marks_.push_back({0, text_.size(), more_cost});
  }

  MarkedText& operator+=(const MarkedText& more);
  friend MarkedText operator+(MarkedText text, const MarkedText& more) { return text += more; }

  bool empty() const { return text_.empty(); }
  const std::string& plain() const { return text_; }
  /// `wrapped`, which is plain() with other spaces and line breaks, with the marks in the colours of a terminal.
  std::string coloured(std::string_view wrapped) const;

 private:
  struct Mark {
    size_t begin;
    size_t end;
    double more_cost;
  };
  std::string text_;
  std::vector<Mark> marks_;
};

}  // namespace cgpu
