#include "kernels/layout_changes.h"

#include "base/contains.h"

namespace cgpu {

bool changes_layout(std::string_view kernel) {
  for (const std::string_view part : {"nchwToNhwc", "nhwcToNchw", "nchw2nhwc", "nhwc2nchw", "transpose", "Transpose",
                                      "permute", "Permute", "TransData", "tensorTransform"}) {
    if (contains(kernel, part)) return true;
  }
  return false;
}

}  // namespace cgpu
