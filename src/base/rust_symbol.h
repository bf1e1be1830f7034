// Symbols of Rust in the mangling "v0" (RFC 2603), and what older compilers put into C++'s.
//
// Not libiberty's rust_demangle (20230104): of 106,264 symbols of programs and libraries it gives 3 other names, as it
// loses the first digit of constants of more than 64 bits, and damaged ones can stop it. _RNvC1a1fINvC1b1gFGzzzzz_EuE
// makes it count half a billion lifetimes. It does not limit what back-references make it print: a symbol of 180
// characters makes it write 7 MB, and every two more tuples four times as much.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cgpu {

/// `_RNvC1a4main` as "a::main": without hashes, types of constants and the crate that asked for an instance. Empty for
/// what is no such symbol, nests deeper than 200 levels, or has a name longer than 64 kB.
std::optional<std::string> demangle_rust(std::string_view symbol);

/// Takes the hash off a name that C++'s demangler made of an old Rust symbol and resolves its escapes:
/// "_$LT$T$u20$as$u20$core..fmt$GT$::f::h0123456789abcdef" is "<T as core::fmt>::f". Anything else as it is.
std::string clean_old_rust_name(std::string name);

}  // namespace cgpu
