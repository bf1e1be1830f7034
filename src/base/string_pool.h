// Interned strings: every distinct text is stored once and named by a 32-bit id.
//
// Ids count up from 0 in order of first appearance. Id 0 is always the empty string, so that a
// zero-initialised id reads as "no name". Lookup and insert are O(length); texts live in large blocks that never
// move, so a returned view stays valid for the life of the pool.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace cgpu {

using StringId = uint32_t;

class StringPool {
 public:
  StringPool();
  StringPool(StringPool&&) noexcept = default;
  StringPool& operator=(StringPool&&) noexcept = default;

  /// The id of `text`, added if it is new.
  StringId intern(std::string_view text);
  /// The id of `text` if it is in the pool, else `absent`.
  static constexpr StringId absent = UINT32_MAX;
  StringId find(std::string_view text) const;

  /// Makes the text of an id empty, that nothing refers to from here on. `id` is not 0.
  void forget(StringId id) { texts_[id] = {}; }

  std::string_view operator[](StringId id) const { return texts_[id]; }
  uint32_t size() const { return static_cast<uint32_t>(texts_.size()); }

 private:
  std::string_view store(std::string_view text);
  void grow();

  struct Slot {
    uint32_t hash = 0;
    StringId id = absent;
  };
  std::vector<std::string_view> texts_;
  std::vector<Slot> slots_;  // open addressing, a power of two, at most half full
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t block_used_ = 0;
  size_t block_size_ = 0;
};

}  // namespace cgpu
