#include "kernels/layout_changes.h"

#include "base/contains.h"

namespace cgpu {

bool changes_layout(std::string_view kernel) {
  return contains_any(kernel, {"nchwToNhwc", "nhwcToNchw", "nchw2nhwc", "nhwc2nchw", "transpose", "Transpose",
                               "permute", "Permute", "TransData", "tensorTransform"});
}

}  // namespace cgpu
