// Sorts what is little beside a timeline; what is equal stays in its order. What std::stable_sort does is compiled anew
// for each use of it, in 0.2 s and to 8 KB; here all uses share one piece of code. It asks through a pointer, which
// takes up to twice as long: events are sorted with the standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cgpu {

/// The numbers below `size`, which fits into 32 bits, in the order of what they are numbers of: before(things, a, b)
/// says whether number a comes first.
std::vector<uint32_t> stable_order(size_t size, const void* things, bool (*before)(const void*, uint32_t, uint32_t));

/// `before` is a strict weak order of the elements. O(n log n).
template <typename T, typename Before>
void sort_stably(std::vector<T>& elements, const Before& before) {
  struct Things {
    const T* elements;
    const Before& before;
  };
  const Things things{elements.data(), before};
  std::vector<uint32_t> order =
      stable_order(elements.size(), &things, [](const void* context, uint32_t a, uint32_t b) -> bool {
        const auto& [of, comes_before] = *static_cast<const Things*>(context);
        return comes_before(of[a], of[b]);
      });
  // Each cycle of the permutation is one element taken out, and every other one moved to its place.
  for (uint32_t first = 0; first < order.size(); ++first) {
    if (order[first] == first) continue;
    T taken = std::move(elements[first]);
    uint32_t to = first;
    for (uint32_t from = order[to]; from != first; from = std::exchange(order[to], to)) {
      elements[to] = std::move(elements[from]);
      to = from;
    }
    elements[to] = std::move(taken);
  }
}

}  // namespace cgpu
