// The textbook way (Wagner and Fischer, 1974), two rows of the table at a time: exact and quadratic.
#include <algorithm>

#include "sequences.h"

int main(int, char** paths) {
  return measure(paths, [](const auto& a, const auto& b) {
    std::vector<uint32_t> before(b.size() + 1);
    std::vector<uint32_t> row(b.size() + 1);
    for (const uint64_t element : a) {
      for (size_t j = 0; j < b.size(); ++j) {
        row[j + 1] = element == b[j] ? before[j] + 1 : std::max(before[j + 1], row[j]);
      }
      std::swap(before, row);
    }
    return size_t{before.back()};
  });
}
