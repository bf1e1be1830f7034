// Numbers, sizes and metrics as ncu prints them, in CSV and in plain text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/run.h"

namespace cgpu::ncu {

std::optional<int64_t> printed_integer(std::string_view text);

/// "4,963,609,951.19" times 10^exponent. Commas must be between groups of three digits: where a comma is the
/// decimal point of the user's language, the text is not a number.
std::optional<double> printed_number(std::string_view text, int exponent);

/// "(1024, 1, 1)".
std::optional<std::array<int64_t, 3>> printed_extent(std::string_view text);

/// Of a finding that is printed as OPT, WRN, ERR or INF.
const char* severity_of(std::string_view type);

/// A metric under its label in a section, with the printed unit and value. Nothing where there is no value.
void add_metric(Run& run, ProfiledLaunch& launch, const std::string& section, const std::string& label,
                std::string_view unit, std::string_view value);

/// The device of the launch, where the run does not have it yet.
void add_device(Run& run, const ProfiledLaunch& launch, std::string_view capability);

}  // namespace cgpu::ncu
