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

/// An empty run of this file and format.
inline Run new_run(const std::string& file, const char* format) {
  Run run;
  run.file = file;
  run.format = format;
  return run;
}

/// Sets the sizes in bytes of a text that has been read, and notes its damage.
inline void add_source(const TextSource& source, Run& run, const char* code_of_damage = "truncated_input") {
  run.input_bytes = source.stored_bytes();
  run.text_bytes = source.text_position();
  if (!source.damage().empty()) run.notes.add(code_of_damage, 1, source.damage(), true);
}

}  // namespace cgpu
