// Where results go: stdout, or the file given with -o.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/input_options.h"
#include "table/csv.h"

namespace cgpu {

/// "" and "-".
bool is_stdout(const std::string& path);

/// Throws Error where `path` ("" or "-" for stdout) is one of the inputs, also by another name or inside a folder that
/// is one profile: an output never destroys what it was made from. For before the work.
void check_output(const std::string& path, const InputOptions& input);

/// The format to write: `wanted` where the user has chosen one, else that of the ending of `path`, else "text". Throws
/// Error for an ending that stands for none of `formats`, unless it is one of a text (.txt, .text, .log, .out) or there
/// is none.
std::string format_of_output(const std::string& wanted, const std::string& path,
                             const std::vector<std::string>& formats);

/// The option of verbs that write CSV: `raw` where texts are to be exact.
void add_csv_option(Verb verb, bool& raw);
inline CsvText csv_text(bool raw) {
  return raw ? CsvText::exact : CsvText::guarded;
}

/// Calls `write` with the stream of `path` ("" or "-" for stdout). Throws Error where it cannot be written completely;
/// the file is then as it was (base/atomic_file.h).
void write_output(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace cgpu
