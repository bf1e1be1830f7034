// The options of the command line that name the profiles to open and the part to analyse, as text, and their conversion
// to OpenOptions (open_options.h) and Selection (selection/selection.h).
#pragma once

#include <string>
#include <vector>

namespace cgpu {

struct OpenOptions;
struct Selection;

struct InputOptions {
  std::vector<std::string> inputs = {};
  std::string input_format = {};
  std::string kernel_rules = {};
  std::string peaks = {};
  std::string device_model = {};
  std::string capture = {};
  unsigned threads = 0;
  bool strict = false;
  std::string from = {};  // times from the start, with or without a unit
  std::string to = {};
  std::string step = {};  // N or N-M
  std::string rank = {};  // numbers and ranges
  std::string device = {};
  std::string profile = {};  // of a call tree

  /// Without callbacks for progress and warnings.
  OpenOptions open() const;
  /// Throws Error.
  Selection selection() const;
};

}  // namespace cgpu
