// What a report says of the recording, as rows of the tables of an export. The environment of the machine and of the
// program is there, too: its variables are counted, and none of their values leaves these functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cgpu::nsys {

/// A row of a small table, its values as text.
using Facts = std::vector<std::string>;

/// Nanoseconds from 1970 to the start of the session, which is time 0 of all events. `conversion`: the section of that
/// name. Absent where neither says.
std::optional<int64_t> session_start(std::string_view head, std::string_view conversion);

/// The machine on which the program ran; "" where it does not say.
std::string host_name(std::string_view head);

/// Name and value of the options that the mapping takes, as META_DATA_CAPTURE has them; names alone of the environment.
std::vector<Facts> capture_options(std::string_view options);

}  // namespace cgpu::nsys
