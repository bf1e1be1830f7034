// Feeds arbitrary bytes as a report of Nsight Systems through the whole path: as they are, or, where they begin with
// 'B', as the events of a report that is whole, so that what is found need not get past LZ4.
#include <lz4.h>

#include "shared_memory_file.h"

namespace {

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

std::string block(const std::string& message) {
  const std::string text = varint(message.size()) + message;
  std::string packed(static_cast<size_t>(LZ4_compressBound(static_cast<int>(text.size()))), '\0');
  packed.resize(static_cast<size_t>(LZ4_compress_default(text.data(), packed.data(), static_cast<int>(text.size()),
                                                         static_cast<int>(packed.size()))));
  return varint(packed.size()) + varint(text.size()) + packed;
}

/// A report that was cut behind its last message: a head, an info message, a block of events, texts, threads, devices.
std::string report_of(const std::string& events) {
  const std::string info = "\x08\x01";  // one event at least, behind which the texts are
  const std::string texts = "\x0a\x04name\x0a\x05other";
  return "NVIDIA Tegra Profiler Report 1.QDTEXT00" + varint(0) + varint(info.size()) + info + block(events) +
         block(texts) + varint(0) + varint(0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const cgpu::fuzz::SharedMemoryFile file("nsys_report", ".nsys-rep");
  cgpu::ReadOptions options;
  options.threads = 1;
  options.input_format = "nsys-rep";
  if (size > 0 && data[0] == 'B') {
    const std::string report = report_of(std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
    cgpu::fuzz::run_whole_path(file.write(reinterpret_cast<const uint8_t*>(report.data()), report.size()), options);
  } else {
    cgpu::fuzz::run_whole_path(file.write(data, size), options);
  }
  return 0;
}
