// The table function interval_intersect(a, b, same): where an interval of one query and an interval of another overlap.
//
// `a` and `b` are texts: names of tables, or SELECT statements. Both need start_ns, and duration_ns or end_ns; intervals
// are half-open, so that one that ends where another begins does not overlap it, and those without length overlap
// nothing. `same` names the columns that must be equal in both ("rank, device"); without it all intervals are compared.
// O(n log n) and the rows of the result, with 40 bytes an interval. Perfetto's interval_intersect! gives the same rows.
#pragma once

struct sqlite3;

namespace cgpu {

inline constexpr const char* kIntervalIntersectModule = "interval_intersect";
inline constexpr const char* kIntervalIntersectColumns =
    "start_ns INTEGER,  -- [ns] where the overlap begins\n"
    "  duration_ns INTEGER,  -- [ns] how long it is\n"
    "  a,  -- which interval of the first: its column slice, else its first column\n"
    "  b,  -- likewise of the second\n"
    "  query_a TEXT HIDDEN,  -- name of a table, or a SELECT\n"
    "  query_b TEXT HIDDEN,\n"
    "  same TEXT HIDDEN  -- columns that must be equal, separated by commas\n";

void add_interval_intersect_module(sqlite3* database);

}  // namespace cgpu
