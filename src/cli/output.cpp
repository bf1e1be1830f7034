#include "cli/output.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

#include "base/error.h"

namespace cgpu {

void write_output(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (path.empty()) {
    write(std::cout);
    std::cout.flush();
    if (!std::cout) throw Error("standard output", "cannot be written");
    return;
  }
  std::ofstream file(path, std::ios::binary);
  if (!file) throw Error(path, std::string("cannot be written: ") + std::strerror(errno));
  write(file);
  file.flush();
  if (!file) throw Error(path, std::string("cannot be written: ") + std::strerror(errno));
}

}  // namespace cgpu
