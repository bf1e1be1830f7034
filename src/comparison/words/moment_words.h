// Where moments of A are in B, in words.
#pragma once

#include <string>

#include "table/table.h"

namespace cgpu {

/// A line for each row of compare_times, made for such moments (kAtOption).
std::string moment_words(const Table& times);

}  // namespace cgpu
