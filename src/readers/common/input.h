// What a format's reader is given: one file, or one folder that is a profile as a whole.
#pragma once

#include <memory>
#include <string>

#include "base/text_source.h"
#include "model/run.h"
#include "readers/common/read_options.h"

namespace cgpu {

struct Input {
  std::string path;
  bool is_folder = false;
  std::shared_ptr<TextSource> source;  // null for a folder
  std::string head;                    // the first 64 kB of the uncompressed file; empty for a folder
};

}  // namespace cgpu
