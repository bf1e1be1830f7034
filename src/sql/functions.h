// The functions of SQL that SQLite does not have.
#pragma once

#include "kernels/dictionary.h"

struct sqlite3;

namespace cgpu {

/// Adds them; docs/sql.md says what they do. `dictionary` must outlive the database.
///   span_union(start, end)  aggregate: length of the union of intervals
///   percentile(x, p)        aggregate: the value at p percent, interpolated as in all tables
///   median(x), stddev(x)    aggregates: percentile 50; sample deviation
///   overlap(a, b, c, d)     how much of [a, b) lies in [c, d)
///   class(name)             class of a device function
///   demangle(name)          a symbol in its source spelling
///   regexp(pattern, text)   text REGEXP pattern
void add_functions(sqlite3* database, const KernelDictionary& dictionary);

}  // namespace cgpu
