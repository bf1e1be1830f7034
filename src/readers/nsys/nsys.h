// The reader of Nsight Systems: its SQLite exports of every version, and its reports where `nsys` is installed.
//
// One pass over each table that has to do with the timeline, without SQLite where that is possible
// (sqlite/table_walk.h); memory: the columns and the texts of StringIds. Format: docs/formats/nsys.md.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"

namespace cgpu::nsys {

/// An SQLite database with the tables of an export.
bool is_export(const Input& input);
/// Throws Error where the database cannot be read at all.
Run read_export(const Input& input, const ReadOptions& options);

/// A report (.nsys-rep, .qdrep): only `nsys` can read it.
bool is_report(const Input& input);
/// Has `nsys` export the report to a temporary file and reads that. Throws Error with the command to run where `nsys`
/// is not installed or fails.
Run read_report(const Input& input, const ReadOptions& options);

}  // namespace cgpu::nsys
