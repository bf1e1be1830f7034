// Which kernels put a whole tensor into another order, as between NCHW and NHWC.
#pragma once

#include <string_view>

namespace cgpu {

/// By the names that cuDNN, cuBLAS, PyTorch and CANN give. Others of the class layout cut, join, pad and cast.
bool changes_layout(std::string_view kernel);

}  // namespace cgpu
