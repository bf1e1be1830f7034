#include "readers/chakra/tensors.h"

#include <charconv>
#include <vector>

namespace cgpu::chakra {

namespace {

constexpr size_t kDeepest = 64;

/// A list that is open.
struct List {
  uint32_t count = 0;
  int64_t numbers[5] = {};
  bool plain = true;  // so far: numbers only, then a text
  bool ends_in_text = false;
};

/// Bytes of the tensor that the list is; 0 where it is none.
int64_t tensor_bytes(const List& list) {
  int64_t bytes = 0;
  const bool tensor = list.count == 6 && list.plain && list.ends_in_text && list.numbers[3] >= 0 && list.numbers[4] > 0;
  return tensor && !__builtin_mul_overflow(list.numbers[3], list.numbers[4], &bytes) ? bytes : 0;
}

}  // namespace

ArgumentList read_arguments(std::string_view text) {
  ArgumentList found;
  std::vector<List> open;
  const auto element = [&](bool number, int64_t value, bool is_text) {
    if (open.empty()) return;
    List& list = open.back();
    if (number && list.count < 5) list.numbers[list.count] = value;
    if ((list.count < 5 && !number) || (list.count == 5 && !is_text)) list.plain = false;
    list.ends_in_text = is_text;
    ++list.count;
    if (open.size() == 1) ++found.count;
  };
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '[' || c == '(') {
      if (open.size() == kDeepest) return found;
      open.emplace_back();
      ++at;
    } else if (c == ']' || c == ')') {
      if (open.empty()) return found;
      const int64_t bytes = tensor_bytes(open.back());
      if (__builtin_add_overflow(found.bytes, bytes, &found.bytes)) found.bytes = INT64_MAX;
      open.pop_back();
      element(false, 0, false);
      ++at;
    } else if (c == '"' || c == '\'') {
      const size_t begin = ++at;
      while (at < text.size() && text[at] != c) at += text[at] == '\\' ? 2 : 1;
      const std::string_view word = text.substr(begin, at - begin);
      if (open.size() == 1 && found.first_word.empty()) found.first_word = word;
      element(false, 0, true);
      ++at;
    } else if (c == ',' || c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at;
    } else {
      const size_t end = std::min(text.find_first_of(",[]() \n\t\r", at + 1), text.size());
      int64_t value = 0;
      const auto result = std::from_chars(text.data() + at, text.data() + end, value);
      element(result.ec == std::errc() && result.ptr == text.data() + end, value, false);
      at = end;
    }
  }
  return found;
}

}  // namespace cgpu::chakra
