// Values as a person reads them: 1.234 s, 12.3 MiB, 45.60%, 1,234,567. And as a program does: exactly.
//
// The readable form carries three significant digits or more, chosen a value at a time, and is used by the text,
// Markdown and HTML renderers; the exact form by CSV, JSON and the tooltips of HTML.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "table/table.h"

namespace cgpu {

/// "1.234 s", "12.3 ms", "45.6 us", "789 ns".
std::string format_ns(int64_t nanoseconds);
std::string format_ns(double nanoseconds);

/// "512 B", "1.50 KiB", "12.3 MiB", "80.0 GiB".
std::string format_bytes(int64_t bytes);
std::string format_bytes(double bytes);

/// "45.60%"; a share that is not 0 and would round to it is "<0.01%".
std::string format_percent(double percent);

/// "1,234,567".
std::string format_count(int64_t count);
/// "1 copy", "1,234 copies".
std::string format_count(int64_t count, std::string_view one, std::string_view several);

/// A number without a scale of its own: "1,234.50", "1,234", "3.25", "0.0123", "1.5e+20".
std::string format_real(double value);

/// A number in a unit that is not known beforehand: "1.234 s" in sec, "12.3 MiB" in bytes, "2.19 GFLOP", "3.25 iter/s",
/// "42".
std::string format_value(double value, std::string_view unit);

/// A rate in `unit`, which is a capital base with an optional SI prefix ("GB/s", "FLOP/s"): "2.04 TB/s".
std::string format_rate(double value, std::string_view unit);

/// The cell in its column's unit, on one line with nothing invisible in it (see unicode.h); "-" where absent.
std::string format_cell(const Cell& cell, const Column& column);

/// The value and nothing else: integers in full, doubles in the fewest digits that read back the same, text as it
/// is; empty where absent.
std::string exact_cell(const Cell& cell);
/// Appends the same of a place in a column.
void append_exact(std::string& out, const ColumnValues& values, size_t row);

/// Bytes of text that CSV and JSON collect before they write them.
inline constexpr size_t kWrittenAtATime = size_t{1} << 16;

/// What to call each column where format_cell is shown below it: "total" for total_ns, "busy %" for busy_pct, and the
/// unit in parentheses where cells do not carry it. Two columns never get the same heading.
std::vector<std::string> headings(const std::vector<Column>& columns);

/// "... 12 more rows", for where rows were cut.
std::string format_more_rows(size_t count);

/// A unit of time, size or share as a multiple 10^ten * 2^two of the smallest one of its kind (ns, byte, %).
struct Unit {
  enum class Kind : uint8_t { time, size, share };
  Kind kind;
  int ten;
  int two;
};

/// ns us ms s, also as profilers write them (nsec usec msec sec); B KB MB GB TB (powers of 1000), KiB MiB GiB TiB (of
/// 1024), bytes; %. Empty for anything else.
std::optional<Unit> find_unit(std::string_view name);
/// ns in one of a unit; none where it is no time.
std::optional<double> ns_in_unit(std::string_view name);
/// How many of the unit `to` one of `from` is: 1 where both have one name, 1000 for "sec" in "ms"; none where they
/// cannot be compared.
std::optional<double> unit_ratio(std::string_view from, std::string_view to);

}  // namespace cgpu
