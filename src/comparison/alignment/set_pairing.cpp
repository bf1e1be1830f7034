#include "comparison/alignment/set_pairing.h"

#include <algorithm>
#include <unordered_map>

namespace cgpu {

SetPairing::SetPairing(PerSide<size_t> sizes) : left_(sizes) {
  for (const Side side : kSides) partners_[side].resize(sizes[side]);
}

void SetPairing::pair(const KeyOf& key_of, bool unique) {
  if (left_.a == 0 || left_.b == 0) return;
  std::unordered_map<uint64_t, PerSide<std::vector<size_t>>> with_key;
  for (const Side side : kSides) {
    for (size_t element = 0; element < partners_[side].size(); ++element) {
      if (partners_[side][element]) continue;
      if (const uint64_t key = key_of(side, element); key != 0) with_key[key][side].push_back(element);
    }
  }
  for (const auto& [key, elements] : with_key) {
    const size_t count = std::min(elements.a.size(), elements.b.size());
    if (unique && std::max(elements.a.size(), elements.b.size()) > 1) continue;
    for (size_t i = 0; i < count; ++i) {
      partners_.a[elements.a[i]] = elements.b[i];
      partners_.b[elements.b[i]] = elements.a[i];
    }
    left_.a -= count;
    left_.b -= count;
  }
}

}  // namespace cgpu
