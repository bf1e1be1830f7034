#include "readers/common/temporary_folder.h"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/signal_cleanup.h"
#include "base/to_size.h"

namespace cgpu {

TemporaryFolder::TemporaryFolder() {
  path_ = temporary_parent() + "/cgpu-XXXXXX";
  if (::mkdtemp(path_.data()) == nullptr)
    throw Error(path_, "cannot make a temporary folder (set TMPDIR to one that can be written)");
  register_for_removal(path_);
}

std::string TemporaryFolder::file(const std::string& name) {
  files_.push_back(path_ + "/" + name);
  register_for_removal(files_.back());
  return files_.back();
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  for (const std::string& file : files_) unregister_for_removal(file);
  unregister_for_removal(path_);
}

void copy_to_file(TextSource& source, const std::string& path, const std::string& input, uint64_t most) {
  const uint64_t room = most_temporary_bytes();
  std::ofstream file(path, std::ios::binary);
  std::vector<char> block(size_t{1} << 20);
  for (uint64_t done = 0; done < most;) {
    const size_t got = source.read(block.data(), to_size(std::min<uint64_t>(block.size(), most - done)));
    if (got == 0) break;
    done += got;
    if (done > room) throw_no_temporary_room(input, room);
    file.write(block.data(), static_cast<std::streamsize>(got));
  }
  file.close();
  if (!file) throw Error(path, "cannot be written: the disk may be full (TMPDIR names another)");
}

}  // namespace cgpu
