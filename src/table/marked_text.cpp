#include "table/marked_text.h"

#include "base/ascii.h"
#include "table/terminal_style.h"

namespace cgpu {

MarkedText& MarkedText::operator+=(const MarkedText& more) {
  for (const Mark& mark : more.marks_) {
    marks_.push_back({text_.size() + mark.begin, text_.size() + mark.end, mark.more_cost});
  }
  text_ += more.text_;
  return *this;
}

std::string MarkedText::coloured(std::string_view wrapped) const {
  std::string out;
  size_t at = 0;  // in text_
  size_t copied = 0;
  const auto copy_until = [&](size_t end) {
    for (; at < end; ++at) {
      if (is_space(text_[at])) continue;
      while (copied < wrapped.size() && is_space(wrapped[copied])) out += wrapped[copied++];
      if (copied < wrapped.size()) out += wrapped[copied++];
    }
  };
  for (const Mark& mark : marks_) {
    copy_until(mark.begin);
    while (copied < wrapped.size() && is_space(wrapped[copied])) out += wrapped[copied++];
    const size_t begin = out.size();
    copy_until(mark.end);
    out = out.substr(0, begin) + terminal_style::styled(out.substr(begin), terminal_style::of_change(mark.more_cost));
  }
  out += wrapped.substr(copied);
  return out;
}

}  // namespace cgpu
