// What a run says of itself: by which runs differ, are grouped, or ordered by their size.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "table/table.h"

namespace cgpu {

/// By key: the texts of its table `info`, and of `input`, as it was given, `input`, `file` (its name) and `folder` (the
/// name of the folder that it lies in).
std::map<std::string, std::string> properties_of(const std::string& input, const Table& info);

/// By the key, also without "metadata." before it; absent where the run does not say it.
std::optional<std::string> property_called(const std::map<std::string, std::string>& properties,
                                           const std::string& key);

}  // namespace cgpu
