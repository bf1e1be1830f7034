// What the user asks of reading, whatever the format.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace cgpu {

struct ReadOptions {
  unsigned threads = 0;      // 0: as many as the machine has
  std::string input_format;  // overrides the recognition by content
  /// Called now and then from one thread at a time with the share done (0..1).
  std::function<void(double)> progress;
  size_t run_of_file = 0;  // of a file that holds several (export/): which one, from 0
  /// Called, by any thread that reads, with the Error of a file of a folder that looks like a profile and is left out.
  std::function<void(const std::string&)> left_out = nullptr;
};

}  // namespace cgpu
