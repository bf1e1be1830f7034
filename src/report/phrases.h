// Numbers and lists as parts of sentences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "table/table.h"

namespace cgpu {

/// "84.2%" of a whole; "none" of a whole of 0. A share that is not nothing never reads 0, one that is not all never
/// 100.
std::string share_text(double part, double whole);
std::string share_text(int64_t part, int64_t whole);

/// "1 step", "2,345 steps"; `many` where an s is not enough.
std::string counted(int64_t count, std::string_view one, std::string_view many = "");

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& items);

/// "data loading" for a name of tables like "data_loading".
std::string as_words(std::string name);

/// A name of any length as a part of a sentence: shortened in the middle.
std::string quoted_name(std::string_view name);

/// "what it did besides is not known: only collectives were recorded", of one device or of several.
std::string unknown_rest(bool several, std::string_view why);

struct NamedTime {
  std::string name;
  int64_t time = 0;
};

/// The largest of the times as "kernel 70.3%, cpu 16.1%, runtime 7.5%": `most` of them at most, none under 1% unless it
/// is the largest, none that is 0.
std::string largest_shares(std::vector<NamedTime> parts, int64_t whole, size_t most);

/// A device function's name without what a reader can do without: return type, parameters, namespaces, lambdas' paths
/// and the template arguments that every kernel of its kind has. "vectorized_elementwise_kernel<4,
/// CUDAFunctor_add<float>>". For showing only: different kernels may get the same. Names that are not of C++ stay as
/// they are. O(length).
std::string brief_kernel_name(std::string_view name);
/// Gives the texts of the column `name` their brief form.
void make_names_brief(Table& kernels);

}  // namespace cgpu
