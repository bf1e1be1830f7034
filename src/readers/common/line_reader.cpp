#include "readers/common/line_reader.h"

#include <algorithm>
#include <cstring>

namespace cgpu {

bool LineReader::refill() {
  at_ = 0;
  size_ = source_.read(buffer_.data(), buffer_.size());
  return size_ > 0;
}

bool LineReader::next(std::string_view& line) {
  long_line_.clear();
  bool any = false;
  bool cut = false;
  for (;;) {
    if (at_ == size_ && !refill()) {
      if (!any) return false;
      ended_ = false;
      line = long_line_;
      break;
    }
    const char* const from = buffer_.data() + at_;
    const auto* const end = static_cast<const char*>(std::memchr(from, '\n', size_ - at_));
    const size_t length = end ? static_cast<size_t>(end - from) : size_ - at_;
    at_ += length + (end ? 1 : 0);
    if (end && !any) {
      line = std::string_view(from, length);
      break;
    }
    any = true;
    const size_t room = kMaxLine - long_line_.size();
    cut = cut || length > room;
    long_line_.append(from, std::min(length, room));
    if (end) {
      line = long_line_;
      break;
    }
  }
  cut_lines_ += cut ? 1 : 0;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return true;
}

}  // namespace cgpu
