#include "base/string_pool.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>

namespace cgpu {

namespace {
/// Of thousands of ranks that have been released each keeps a few names: blocks begin small.
constexpr size_t kFirstBlock = size_t{1} << 10;
constexpr size_t kLargestBlock = size_t{64} << 10;
constexpr size_t kFirstSlots = 64;

uint64_t hash_of(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}
}  // namespace

StringPool::StringPool() : slots_(kFirstSlots) {
  intern("");
}

StringId StringPool::find(std::string_view text) const {
  const uint64_t hash = hash_of(text);
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.id == absent) return absent;
    if (slot.hash == static_cast<uint32_t>(hash >> 32) && texts_[slot.id] == text) return slot.id;
  }
}

StringId StringPool::intern(std::string_view text) {
  const uint64_t hash = hash_of(text);
  const auto tag = static_cast<uint32_t>(hash >> 32);
  const size_t mask = slots_.size() - 1;
  size_t i = hash & mask;
  for (; slots_[i].id != absent; i = (i + 1) & mask) {
    if (slots_[i].hash == tag && texts_[slots_[i].id] == text) return slots_[i].id;
  }
  const auto id = static_cast<StringId>(texts_.size());
  texts_.push_back(store(text));
  slots_[i] = {tag, id};
  if (texts_.size() * 2 > slots_.size()) grow();
  return id;
}

std::string_view StringPool::store(std::string_view text) {
  if (text.empty()) return {};
  if (block_size_ - block_used_ < text.size()) {
    const size_t next = block_size_ == 0 ? kFirstBlock : std::min(kLargestBlock, 2 * block_size_);
    block_size_ = std::max(next, text.size());
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_size_));
    block_used_ = 0;
  }
  char* place = blocks_.back().get() + block_used_;
  std::memcpy(place, text.data(), text.size());
  block_used_ += text.size();
  return {place, text.size()};
}

void StringPool::grow() {
  slots_.assign(slots_.size() * 2, Slot{});
  const size_t mask = slots_.size() - 1;
  for (StringId id = 0; id < texts_.size(); ++id) {
    const uint64_t hash = hash_of(texts_[id]);
    size_t i = hash & mask;
    while (slots_[i].id != absent) i = (i + 1) & mask;
    slots_[i] = {static_cast<uint32_t>(hash >> 32), id};
  }
}

}  // namespace cgpu
