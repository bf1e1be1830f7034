// The registry of profile formats: recognition by content, never by the file's name alone.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_source.h"
#include "model/run.h"
#include "readers/reader.h"

namespace cgpu {

/// One file, or one folder that is a profile as a whole.
struct Input {
  std::string path;
  bool is_folder = false;
  std::shared_ptr<TextSource> source;  // null for a folder
  std::string head;                    // the first 64 kB of the uncompressed file; empty for a folder
};

struct Format {
  std::string_view name;  // contract, "info"; what --input-format takes
  bool (*recognises)(const Input& input);
  Run (*read)(const Input& input, const ReadOptions& options);
};

/// All formats that can be read, in the order in which they are asked.
const std::vector<Format>& all_formats();

/// What `head` is where no reader takes it: "an SQLite database (an Nsight Systems export?)", else "".
std::string describe_unread_format(std::string_view head);

}  // namespace cgpu
