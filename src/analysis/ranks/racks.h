// Which rack a machine is in, where its name says so.
//
// Only names of a documented scheme, or that spell it out, tell it; nothing is guessed of others:
//   x1000c0s5b0n1        HPE Cray EX: the cabinet of a component name (xname, xXcCsSbBnN), "x1000".
//                        https://cray-hpe.github.io/docs-csm/en-15/operations/component_names_xnames
//   r1i0n5               SGI and HPE ICE: rack, individual rack unit, node: "r1"
//   rack3-node5, gpu-rack07-2   the word and a number: "3", "07"
#pragma once

#include <string_view>

namespace cgpu {

/// A part of the name; "" where it does not say.
std::string_view rack_of_host(std::string_view host);

}  // namespace cgpu
