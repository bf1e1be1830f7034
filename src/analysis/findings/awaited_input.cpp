#include "analysis/findings/awaited_input.h"

#include <algorithm>
#include <string_view>

#include "analysis/common/name_rules.h"
#include "analysis/idle/idle_causes.h"

namespace cgpu {

AwaitedInput awaited_input(const Timeline& host, SliceIndex slice) {
  constexpr int64_t kTyping = 100'000'000;  // ns
  AwaitedInput awaited;
  for (; slice != kNone; slice = host.slices.parent[slice]) {
    const std::string_view name = host.name(slice);
    const std::string_view typed =
        host.slices.duration[slice] >= kTyping ? label_of(NameList::typed_input, name) : std::string_view();
    if (!typed.empty() || waits_for_event(name)) awaited = {slice, typed == "read"};
  }
  return awaited;
}

bool are_unequal(std::vector<int64_t> times) {
  constexpr size_t kFewest = 4;
  if (times.size() < kFewest) return false;
  std::ranges::sort(times);
  return 2 * times[times.size() * 3 / 4] >= 3 * times[times.size() / 4];
}

}  // namespace cgpu
