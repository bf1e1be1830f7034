#include "sink.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace cgpu::builder {

FileSink::FileSink(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (!file_) fail();
}

void FileSink::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail();
}

void FileSink::close() {
  if (std::fclose(file_.release()) != 0) fail();
}

void FileSink::fail() const {
  throw std::runtime_error(path_ + ": " + std::strerror(errno));
}

}  // namespace cgpu::builder
