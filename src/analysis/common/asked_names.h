// What is asked of the names of slices, once of each name of a timeline.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "model/timeline.h"

namespace cgpu {

class AskedNames {
 public:
  /// `ask`: of the first slice of a name that is met; the answer is that of all of its name. The timeline must outlive
  /// this. O(names).
  AskedNames(const Timeline& timeline, std::function<bool(SliceIndex)> ask)
      : timeline_(timeline), ask_(std::move(ask)), known_(timeline.names.size(), -1) {}

  bool operator()(SliceIndex slice) {
    int8_t& known = known_[timeline_.slices.name[slice]];
    if (known < 0) known = ask_(slice) ? 1 : 0;
    return known == 1;
  }

 private:
  const Timeline& timeline_;
  std::function<bool(SliceIndex)> ask_;
  std::vector<int8_t> known_;  // by name; -1: not asked
};

}  // namespace cgpu
