#include "table/text_dictionary.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

#include "base/error.h"

namespace cgpu {

size_t TextDictionary::slot_of(std::string_view text) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = XXH3_64bits(text.data(), text.size()) & mask;
  while (slots_[slot] != kFree && (*this)[slots_[slot]] != text) slot = (slot + 1) & mask;
  return slot;
}

int32_t TextDictionary::find(std::string_view text) const {
  return slots_.empty() ? -1 : slots_[slot_of(text)];
}

int32_t TextDictionary::code(std::string_view text) {
  if (2 * (size() + 1) > slots_.size()) grow();
  int32_t& slot = slots_[slot_of(text)];
  if (slot != kFree) return slot;
  if (bytes_.size() + text.size() > INT32_MAX) {
    throw Error("a column has more than 2 GiB of different texts: select fewer rows or columns");
  }
  slot = static_cast<int32_t>(size());
  bytes_ += text;
  offsets_.push_back(static_cast<int32_t>(bytes_.size()));
  return slot;
}

void TextDictionary::grow() {
  constexpr size_t kFewest = 16;
  slots_.assign(std::max(kFewest, 2 * slots_.size()), kFree);
  for (int32_t code = 0; code < static_cast<int32_t>(size()); ++code) slots_[slot_of((*this)[code])] = code;
}

}  // namespace cgpu
