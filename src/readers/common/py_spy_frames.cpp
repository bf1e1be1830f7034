#include "readers/common/py_spy_frames.h"

namespace cgpu {

bool take(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

std::string_view take_digits(std::string_view& text) {
  const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
  text.remove_prefix(digits.size());
  return digits;
}

bool PySpyThread::take_frame(std::string_view frame) {
  if (!thread.empty()) return false;
  if (take(frame, "thread (")) {
    const std::string_view number = frame.substr(0, frame.find_first_not_of("0123456789abcdefABCDEFxX"));
    frame.remove_prefix(number.size());
    if (number.empty() || !take(frame, ")") || !(frame.empty() || take(frame, ": "))) return false;
    thread = number;
    thread_name = frame;
    return true;
  }
  if (!take(frame, "process ")) return false;
  const std::string_view number = take_digits(frame);
  if (number.empty() || !take(frame, ":")) return false;
  if (take(frame, "\"") && frame.ends_with('"')) frame.remove_suffix(1);
  process = number;
  command = frame;
  return true;
}

std::string PySpyThread::name() const {
  std::string name = process.empty() ? "" : "process " + process;
  if (!command.empty()) name += " (" + command + ")";
  if (!name.empty() && !thread.empty()) name += ' ';
  if (!thread.empty()) name += "thread (" + thread + ")";
  if (!thread_name.empty()) name += ": " + thread_name;
  return name;
}

}  // namespace cgpu
