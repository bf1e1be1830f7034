// The difference that cgpu compares by.
#include "base/sequence_difference.h"
#include "sequences.h"

int main(int, char** paths) {
  return measure(paths, [](const auto& a, const auto& b) { return cgpu::common_subsequence(a, b).size(); });
}
