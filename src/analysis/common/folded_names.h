// Names without what is different each time: the number of an iteration, the address of an object, the id of an op.
#pragma once

#include <string>
#include <string_view>

namespace cgpu {

/// Without addresses, which are different in every run: hexadecimal numbers of 4 GiB or more (an offset in a library is
/// less), and those behind " at ". "<f object>" for "<f object at 0x7f>", "libx.so" for "libx.so+0x7f3a12345678",
/// "[unknown]" for "[unknown 0x55d012345678]", "0xN" for a name that is nothing else; "libx.so+0x1234" stays.
std::string without_addresses(std::string_view name);

/// A function by the name that it has in every build: without_addresses(), without the hash that Rust's compiler ends
/// names with ("core::fmt::write::h0123456789abcdef").
std::string name_in_all_builds(std::string_view name);

/// "hipLaunchKernel" of "hipLaunchKernel [libamdhip64.so.5]".
std::string_view without_binary(std::string_view name);

/// "<built-in method acquire of _thread.lock object>" for "... object at 0x7f>", "aten::mm" for "aten::mm, seq = 3,
/// op_id = 17", "Step N to N" for "Step 10 to 20"; other names as they are.
std::string folded_name(std::string_view name);

}  // namespace cgpu
