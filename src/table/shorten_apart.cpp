#include "table/shorten_apart.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "table/unicode.h"

namespace cgpu {

namespace {

constexpr std::string_view kDots = "...";
constexpr size_t kLeastWidth = 20;
constexpr size_t kLeastHead = 4;   // columns behind the indentation
constexpr size_t kMostBefore = 8;  // bytes that are shown before the difference

bool is_word_byte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
}
bool is_inside_code_point(char c) {
  return (c & 0xC0) == 0x80;
}

/// How many bytes all of them begin with, of whole words as far as these are short: "tile_12" and "tile_16" with
/// "tile_".
size_t common_beginning(const std::set<std::string_view>& texts) {
  const std::string_view first = *texts.begin();  // sorted: what first and last share, all of them do
  const std::string_view last = *texts.rbegin();
  const auto differ = std::mismatch(first.begin(), first.end(), last.begin(), last.end()).first;
  const auto length = static_cast<size_t>(differ - first.begin());
  size_t word = length;
  while (word > 0 && length - word < kMostBefore && is_word_byte(first[word - 1])) --word;
  while (word > 0 && word < first.size() && is_inside_code_point(first[word])) --word;
  return word;
}

/// Its head, with the blanks that indent it, and what follows from `place` on.
std::string shorten_from(std::string_view text, size_t place, size_t width) {
  const size_t indent = std::min(text.find_first_not_of(' '), text.size());
  const size_t third = (width - 2 * kDots.size()) / 3;
  const std::string_view head = head_of_width(text, std::clamp(indent + kLeastHead, third, std::max(third, width / 2)));
  std::string out(head);
  out += kDots;
  const size_t room = width - display_width(out);
  const std::string_view rest = text.substr(std::max(place, head.size()));
  if (display_width(rest) <= room) return out.append(rest);
  return out.append(head_of_width(rest, room - kDots.size())).append(kDots);
}

using Shown = std::map<std::string_view, std::string>;

/// Shows texts that are alike so far with their first difference, until no more are alike.
void set_apart(const std::set<std::string_view>& alike, size_t width, Shown& shown) {
  const size_t place = common_beginning(alike);
  std::map<std::string, std::set<std::string_view>> groups;
  for (const std::string_view text : alike) {
    shown[text] = shorten_from(text, place, width);
    groups[shown[text]].insert(text);
  }
  for (const auto& [one, group] : groups) {
    if (group.size() > 1 && group.size() < alike.size()) set_apart(group, width, shown);
  }
}

}  // namespace

std::vector<std::string> shorten_apart(const std::vector<std::string>& texts, size_t width) {
  const auto fits = [width](const std::string& text) { return display_width(text) <= width; };
  if (std::all_of(texts.begin(), texts.end(), fits)) return texts;
  Shown shown;
  std::map<std::string, std::set<std::string_view>> groups;
  for (const std::string& text : texts) {
    const auto [place, is_new] = shown.try_emplace(text);
    if (!is_new) continue;
    place->second = shorten(text, width);
    groups[place->second].insert(text);
  }
  if (width >= kLeastWidth) {
    for (const auto& [one, group] : groups) {
      if (group.size() > 1) set_apart(group, width, shown);
    }
  }
  std::vector<std::string> out;
  out.reserve(texts.size());
  for (const std::string& text : texts) out.push_back(shown[text]);
  return out;
}

}  // namespace cgpu
