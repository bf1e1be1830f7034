// Names without what is different each time: the number of an iteration, the address of an object, the id of an op.
#pragma once

#include <string>
#include <string_view>

namespace cgpu {

/// "<built-in method acquire of _thread.lock object>" for "... object at 0x7f>", "aten::mm" for "aten::mm, seq = 3,
/// op_id = 17", "Step N to N" for "Step 10 to 20"; other names as they are.
std::string folded_name(std::string_view name);

}  // namespace cgpu
