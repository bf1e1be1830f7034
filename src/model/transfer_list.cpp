#include "model/transfer_list.h"

#include <algorithm>
#include <charconv>

namespace cgpu {

namespace {

constexpr std::string_view kSend = "send to ";
constexpr std::string_view kReceive = "recv from ";

/// The number at the beginning of a text, which goes on behind it; -1 where there is none.
template <typename T>
T take_number(std::string_view& text) {
  T number = -1;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc() || number < 0) return -1;
  text.remove_prefix(static_cast<size_t>(result.ptr - text.data()));
  return number;
}

}  // namespace

std::string text_of_transfers(std::span<const Collective> transfers) {
  std::string text;
  for (const Collective& each : transfers) {
    if (!text.empty()) text += ", ";
    text += each.to >= 0 ? kSend : kReceive;
    text += std::to_string(std::max(each.to, each.from));
    const int64_t elements = std::max(each.elements_in, each.elements_out);
    if (elements >= 0) text.append(": ").append(std::to_string(elements));
  }
  return text;
}

void add_transfers(std::string_view text, const Collective& op, StringPool& names, std::vector<Collective>& transfers) {
  const size_t before = transfers.size();
  while (!text.empty()) {
    Collective each = op;
    const bool sends = text.starts_with(kSend);
    if (!sends && !text.starts_with(kReceive)) return transfers.resize(before);
    text.remove_prefix(sends ? kSend.size() : kReceive.size());
    int32_t& rank = sends ? each.to : each.from;
    rank = take_number<int32_t>(text);
    if (rank < 0) return transfers.resize(before);
    if (text.starts_with(": ")) {
      text.remove_prefix(2);
      each.elements_in = each.elements_out = take_number<int64_t>(text);
    }
    each.name = names.intern(sends ? "send" : "recv");
    transfers.push_back(each);
    if (text.starts_with(", ")) {
      text.remove_prefix(2);
    } else if (!text.empty()) {
      return transfers.resize(before);
    }
  }
}

}  // namespace cgpu
