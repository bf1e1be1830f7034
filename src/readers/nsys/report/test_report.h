// For tests: writes Nsight Systems reports, as docs/formats/nsight-systems-report.md describes them.
#pragma once

#include <lz4.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "readers/common/test_message.h"

namespace cgpu::test {

class TestReport {
 public:
  /// The id under which events name this text.
  uint64_t text(std::string_view text) {
    texts_.text(1, text);
    return next_text_++;
  }
  /// An event of this type, whose payload has this number.
  TestReport& event(uint64_t type, uint32_t number, const Message& payload) {
    events_.add(1, Message().varint(1, type).add(number, payload));
    ++count_;
    return *this;
  }
  TestReport& raw_record() {
    events_.add(2, Message().varint(1, 1).varint(2, 5).text(3, "bytes"));
    return *this;
  }
  /// What comes is in another block.
  TestReport& end_block() {
    blocks_ += block(events_);
    events_ = {};
    return *this;
  }
  TestReport& thread(uint64_t id, uint64_t name) {
    threads_.add(1, Message().varint(2, name).varint(3, 20).varint(4, id));
    return *this;
  }
  TestReport& gpu(const Message& gpu) {
    devices_.add(7, gpu);
    return *this;
  }
  TestReport& cuda_device(uint64_t gpu, uint64_t ordinal, uint64_t process) {
    devices_.add(9, Message().varint(1, gpu).varint(2, ordinal).varint(3, process));
    return *this;
  }
  /// The start of the session, by the offsets of 2025 and before.
  TestReport& starts_at(int64_t utc) {
    const auto offset = [](uint64_t from, uint64_t to, int64_t by) {
      return Message().varint(1, from).varint(2, to).text(5, std::to_string(by));
    };
    head_.add(16, Message().add(1, offset(7, 1, -5)).add(1, offset(1, 3, 7)).add(1, offset(3, 9, -utc - 2)));
    return *this;
  }
  /// The same by the edges of 2026: the session starts `start` on the clock whose `at` is `utc`.
  TestReport& starts_at_edge(int64_t utc, uint64_t at, uint64_t start) {
    head_.varint(17, start);
    const auto clock = [](std::string_view id, uint64_t kind) { return Message().text(1, id).varint(2, kind); };
    const Message fit = Message().add(1, Message().varint(1, static_cast<uint64_t>(utc)).varint(2, at)).real(2, 1.0);
    conversion_ = Message()
                      .add(1, Message().add(1, clock("utc", 11)).add(1, clock("system", 7)))
                      .add(2, Message().add(1, Message().text(1, "utc").text(2, "system").add(3, fit)))
                      .bytes();
    return *this;
  }
  TestReport& host(std::string_view name) {
    environment_.add(1, Message().varint(1, 619).text(2, name));
    environment_.add(1, Message().varint(1, 610).text(2, "API_TOKEN=s3cr3t-t0k3n"));
    return *this;
  }
  TestReport& options(const Message& options) {
    options_ = options.bytes();
    return *this;
  }
  /// As in "2025.1.1.110".
  TestReport& version(std::string_view version) {
    version_ = version;
    return *this;
  }
  TestReport& compression(std::string_view name) {
    compression_ = name;
    return *this;
  }

  std::string bytes() {
    if (!events_.bytes().empty()) end_block();
    const Message head = Message().raw(head_.bytes()).add(1, Message().text(1, "Local (CLI)").add(2, environment_));
    std::string events = "QDTEXT00" + with_length(head.bytes());
    events += with_length(Message().varint(1, count_).varint(3, next_text_).text(9, compression_).bytes());
    events += blocks_;
    const uint64_t texts = events.size() - 8;
    events += block(texts_) + with_length(threads_.bytes());
    events += with_length(Message().add(1, Message().varint(1, 1).add(2, devices_)).bytes());

    std::string file = "NVIDIA Tegra Profiler Report " + version_ + "-0v0.";
    std::replace(file.begin(), file.end() - 1, '.', '@');
    Message directory;
    const auto section = [&](std::string_view name, std::string_view bytes) {
      directory.add(1, Message().text(1, name).varint(2, file.size()).varint(3, bytes.size()));
      file += bytes;
    };
    section("Analysis Options Data", options_);
    section("Raw Sampling Data", events);
    section("Sampling Data Offsets", Message().text(1, "lz4").varint(2, texts).bytes());
    if (!conversion_.empty()) section("Time Conversion Data", conversion_);
    section("UI Data", Message().text(6, version_ + "-0v0").bytes());
    const uint64_t at = file.size();
    file += directory.bytes();
    for (int byte = 0; byte < 8; ++byte) file += static_cast<char>(at >> (8 * byte) & 0xFF);
    return file + "U3w[END]";
  }

  static std::string varint(uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
    bytes.push_back(static_cast<char>(value));
    return bytes;
  }

 private:
  static std::string with_length(std::string_view bytes) { return varint(bytes.size()) + std::string(bytes); }
  static std::string block(const Message& message) {
    const std::string text = with_length(message.bytes());
    std::string packed(static_cast<size_t>(LZ4_compressBound(static_cast<int>(text.size()))), '\0');
    packed.resize(static_cast<size_t>(LZ4_compress_default(text.data(), packed.data(), static_cast<int>(text.size()),
                                                           static_cast<int>(packed.size()))));
    return varint(packed.size()) + varint(text.size()) + packed;
  }

  uint64_t next_text_ = 0;
  uint64_t count_ = 0;
  Message texts_;
  Message events_;
  std::string blocks_;
  Message threads_;
  Message devices_;
  Message head_;
  Message environment_;
  std::string options_;
  std::string conversion_;
  std::string compression_ = "lz4";
  std::string version_ = "2025.1.1.110";
};

}  // namespace cgpu::test
