// Which line of which file machine instructions were compiled from: the line table that debuggers read (DWARF, versions
// 2 to 4), as NVIDIA's compilers write it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cgpu::ncu {

/// A place in the machine code.
struct CodePlace {
  uint64_t section = 0;  // number of the section of the object file
  uint64_t offset = 0;   // bytes from its start
};

/// From this place on, up to the next row of the same section, instructions are of this line.
struct LineRow {
  CodePlace place;
  std::string file;   // "" where the table names none
  uint32_t line = 0;  // from 1; 0: none from here on
};

/// Where an address that lies at the byte `at` of the table, and reads as `value`, is; absent where that is unknown.
using PlaceOf = std::function<std::optional<CodePlace>(uint64_t at, uint64_t value)>;

/// The rows by section and offset; of several of one place the last counts and is the only one. What is damaged ends
/// the table; a unit of another version is skipped.
std::vector<LineRow> read_line_table(std::string_view table, const PlaceOf& place_of);

/// The row that holds at a place; null where none does.
const LineRow* line_at(const std::vector<LineRow>& rows, const CodePlace& place);

}  // namespace cgpu::ncu
