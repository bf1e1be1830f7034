// Runs `nsys export`: the only program that can read an Nsight Systems report.
#pragma once

#include <string>

namespace cgpu::nsys {

/// Exports `report` to the SQLite database `database`. Throws Error, with the command to run by hand, where `nsys` is
/// not on PATH or fails.
void export_report(const std::string& report, const std::string& database);

}  // namespace cgpu::nsys
