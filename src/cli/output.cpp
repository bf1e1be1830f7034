#include "cli/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>
#include <system_error>

#include "base/atomic_file.h"
#include "base/error.h"
#include "readers/discover.h"
#include "readers/reader.h"

namespace cgpu {

namespace {

namespace fs = std::filesystem;

/// Whether a file is this one, or is somewhere in this folder.
bool is_of(const fs::path& file, const std::string& input) {
  std::error_code ignored;
  if (fs::equivalent(file, input, ignored)) return true;
  if (!fs::is_directory(input, ignored)) return false;
  const fs::path inside = fs::canonical(file, ignored);
  const fs::path folder = fs::canonical(input, ignored);
  return std::mismatch(folder.begin(), folder.end(), inside.begin(), inside.end()).first == folder.end();
}

}  // namespace

bool is_stdout(const std::string& path) {
  return path.empty() || path == "-";
}

void check_output(const std::string& path, const InputOptions& input) {
  std::error_code ignored;
  if (is_stdout(path) || !fs::is_regular_file(path, ignored)) return;
  const auto refuse = [&](const std::string& what) {
    throw Error(path, "is " + what + ", which would be overwritten: give -o another name");
  };
  for (const ProfilePath& profile : find_profiles(input.inputs)) {
    if (profile.path == "-") continue;
    if (is_of(path, profile.path)) refuse(profile.is_folder ? "a file of the input " + profile.path : "an input");
  }
  if (!input.kernel_rules.empty() && is_of(path, input.kernel_rules)) refuse("the file of kernel rules");
}

std::string format_of_output(const std::string& wanted, const std::string& path,
                             const std::vector<std::string>& formats) {
  if (!wanted.empty()) return wanted;
  const std::set<std::string> of_texts = {"", ".", ".txt", ".text", ".log", ".out"};
  std::string ending = fs::path(path).extension().string();
  if (is_stdout(path) || of_texts.contains(ending) || path.starts_with("/dev/")) return "text";
  ending.erase(0, 1);
  if (std::find(formats.begin(), formats.end(), ending) != formats.end()) return ending;
  throw Error(path, fmt::format("'.{}' is no format that can be written here: end it in one of {}, or give --format",
                                ending, fmt::join(formats, ", ")));
}

void add_csv_option(Verb verb, bool& raw) {
  verb.add_flag(
      "--raw-csv", raw,
      "Texts in CSV byte for byte: without the apostrophe before =, +, - and @, which keeps spreadsheets from "
      "taking them for formulas, and without escapes of control characters");
}

void write_output(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (is_stdout(path)) {
    write(std::cout);
    std::cout.flush();
    if (!std::cout) throw Error("standard output", "cannot be written");
    return;
  }
  AtomicFile file(path);
  write(file.out());
  file.finish();
}

}  // namespace cgpu
