// What runs say of themselves, by which they are grouped, or ordered by their size.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "table/table.h"

namespace cgpu {

/// The texts of table info by their keys; and input, file and folder: the run as it was given, the name of its file, of
/// the folder that it lies in.
std::map<std::string, std::string> properties_of(const std::string& input, const Table& info);

/// By the key, also without "metadata." before it; absent where the run does not say it.
std::optional<std::string> property_called(const std::map<std::string, std::string>& properties,
                                           const std::string& key);

}  // namespace cgpu
