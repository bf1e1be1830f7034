// The registry of profile formats: recognition by content, never by the file's name alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/run.h"
#include "readers/common/input.h"

namespace cgpu {

struct Format {
  std::string_view name;  // as the table `info` shows it and --input-format takes it
  bool (*recognises)(const Input& input);
  Run (*read)(const Input& input, const ReadOptions& options);
};

/// The runs that a file holds: more than one in an export of several ranks.
size_t runs_of_file(const Input& input);

/// All formats that can be read, in the order in which they are asked.
const std::vector<Format>& all_formats();

}  // namespace cgpu
