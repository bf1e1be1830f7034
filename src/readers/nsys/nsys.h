// The reader of Nsight Systems: its reports and its SQLite exports, of every version. Both are tables of one mapping.
//
// One pass over each table that has to do with the timeline: of an export without SQLite where that is possible
// (sqlite/table_walk.h), of a report over the events of that table (report/report_tables.h). Memory: the columns and
// the texts of StringIds. Formats: docs/formats/nsys.md, docs/formats/nsight-systems-report.md.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"

namespace cgpu::nsys {

/// An SQLite database with the tables of an export.
bool is_export(const Input& input);
/// Throws Error where the database cannot be read at all.
Run read_export(const Input& input, const ReadOptions& options);

/// A report (.nsys-rep, .qdrep).
bool is_report(const Input& input);
/// Throws Error where it ends before its first event, or is of a kind that is not known.
Run read_report(const Input& input, const ReadOptions& options);

}  // namespace cgpu::nsys
