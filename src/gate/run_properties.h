// What a run says of itself: by which runs are told apart and grouped.
#pragma once

#include <map>
#include <string>

#include "table/table.h"

namespace cgpu {

/// By key: the texts of its table `info`, and of `input`, as it was given, `input`, `file` (its name) and `folder` (the
/// name of the folder that it lies in).
std::map<std::string, std::string> properties_of(const std::string& input, const Table& info);

}  // namespace cgpu
