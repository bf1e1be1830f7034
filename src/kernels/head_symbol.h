// Splits the name of a device function into the qualified name of the function and its arguments.
//
// One pass over the text, linear in its length. The text may be cut off or unbalanced: a bracket that never closes
// extends to the end of the name; the text before it is the head.
#pragma once

#include <string>
#include <string_view>

namespace cgpu {

struct HeadSymbol {
  std::string head;       // "at::native::reduce_kernel"
  std::string arguments;  // template and call arguments, in order, with their brackets
};

/// Of `void ns::(anonymous namespace)::f<int>::g<4>(float*)`: head `ns::f::g`, arguments `<int><4>(float*)`. The
/// return type is in neither. A lambda becomes `{lambda}`; its parameters are arguments. A name that is no function
/// signature ("Memcpy HtoD (Pinned -> Device)") is its own head. Of an instruction of XLA, `%dot.1 = f32[8] dot(%a,
/// %b)`, the name `%dot.1` is the head and the rest the arguments. Of a name that is still mangled the identifiers at
/// its beginning are the head and the rest of the mangled text the arguments.
HeadSymbol split_head_symbol(std::string_view name);

}  // namespace cgpu
