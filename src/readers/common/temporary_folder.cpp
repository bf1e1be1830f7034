#include "readers/common/temporary_folder.h"

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/error.h"

namespace cgpu {

TemporaryFolder::TemporaryFolder() {
  const char* parent = std::getenv("TMPDIR");
  path_ = std::string(parent == nullptr || *parent == '\0' ? "/tmp" : parent) + "/cgpu-XXXXXX";
  if (::mkdtemp(path_.data()) == nullptr)
    throw Error(path_, "cannot make a temporary folder (set TMPDIR to one that can be written)");
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void copy_to_file(TextSource& source, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  std::vector<char> block(size_t{1} << 20);
  while (const size_t got = source.read(block.data(), block.size())) {
    file.write(block.data(), static_cast<std::streamsize>(got));
  }
  file.close();
  if (!file) throw Error(path, "cannot be written: the disk may be full (TMPDIR names another)");
}

}  // namespace cgpu
