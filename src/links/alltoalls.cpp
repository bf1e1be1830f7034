#include "links/alltoalls.h"

#include <string_view>

#include "base/contains.h"
#include "links/collective_series.h"

namespace cgpu {

bool Alltoalls::contain(SliceIndex op) {
  const Slices& slices = timeline_.slices;
  if (is_transfer_.empty()) {
    for (StringId name = 0; name < timeline_.names.size(); ++name) {
      is_transfer_.push_back(contains(timeline_.names[name], "SendRecv"));
    }
  }
  if (!is_transfer_[slices.name[op]]) return false;
  if (is_alltoall_.empty()) {
    for (StringId name = 0; name < timeline_.names.size(); ++name) {
      is_alltoall_.push_back(contains(letters_of(timeline_.names[name]), "alltoall"));
    }
  }
  SliceIndex at = slices.launch[op];
  while (at != kNone && !is_alltoall_[slices.name[at]]) at = slices.parent[at];
  return at != kNone;
}

}  // namespace cgpu
