// For tests: files with given content, plain or compressed, that vanish with the object.
#pragma once

#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cgpu::test {

class TestFile {
 public:
  explicit TestFile(std::string_view content, const std::string& ending = ".json") {
    std::string name = "/tmp/cgpu-test-XXXXXX" + ending;
    const int descriptor = ::mkstemps(name.data(), static_cast<int>(ending.size()));
    if (descriptor < 0) throw std::runtime_error("cannot make " + name);
    path_ = name;
    size_t done = 0;
    while (done < content.size()) {
      const ssize_t put = ::write(descriptor, content.data() + done, content.size() - done);
      if (put <= 0) throw std::runtime_error("cannot write " + name);
      done += static_cast<size_t>(put);
    }
    ::close(descriptor);
  }
  ~TestFile() { std::remove(path_.c_str()); }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// `format`: IGZIP_GZIP, IGZIP_ZLIB.
inline std::string deflated(std::string_view text, uint16_t format) {
  std::string out(text.size() + text.size() / 8 + 4096, '\0');
  isal_zstream stream;
  isal_deflate_init(&stream);
  stream.gzip_flag = format;
  stream.end_of_stream = 1;
  stream.flush = NO_FLUSH;
  stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uint32_t>(text.size());
  stream.next_out = reinterpret_cast<uint8_t*>(out.data());
  stream.avail_out = static_cast<uint32_t>(out.size());
  if (isal_deflate(&stream) != COMP_OK) throw std::runtime_error("deflate failed");
  out.resize(out.size() - stream.avail_out);
  return out;
}

inline std::string gzip(std::string_view text) {
  return deflated(text, IGZIP_GZIP);
}
inline std::string zlib(std::string_view text) {
  return deflated(text, IGZIP_ZLIB);
}

inline std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
  return out;
}

}  // namespace cgpu::test
