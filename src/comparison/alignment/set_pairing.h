// Which elements of two sets are the same, by keys from the most exact to the roughest. Where several elements of a
// side have one key, the order in which they are given says which finds which. O(elements) a key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "comparison/alignment/alignment.h"

namespace cgpu {

class SetPairing {
 public:
  explicit SetPairing(PerSide<size_t> sizes);

  /// The key of an element of a side; 0 for none.
  using KeyOf = std::function<uint64_t(Side, size_t)>;
  /// Pairs those without a partner that have equal keys: the first with the first, and so on.
  void pair_equal(const KeyOf& key_of) { pair(key_of, false); }
  /// Only where each side has one element with the key among those without a partner.
  void pair_unique(const KeyOf& key_of) { pair(key_of, true); }

  std::optional<size_t> partner(Side side, size_t element) const { return partners_[side][element]; }

 private:
  void pair(const KeyOf& key_of, bool unique);

  PerSide<std::vector<std::optional<size_t>>> partners_;
  PerSide<size_t> left_;  // elements without a partner
};

}  // namespace cgpu
