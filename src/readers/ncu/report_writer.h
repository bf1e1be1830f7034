// For tests: writes Nsight Compute reports of file version 7, with the fields that the reader knows.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "readers/common/test_message.h"

namespace cgpu::ncu::test {

using cgpu::test::Message;

inline std::string with_length(const std::string& bytes) {
  std::string text;
  for (int shift = 0; shift < 32; shift += 8) text.push_back(static_cast<char>(bytes.size() >> shift & 0xFF));
  return text + bytes;
}

class ReportWriter {
 public:
  explicit ReportWriter(uint64_t version = 7) {
    file_ = std::string("NVR\0", 4) + with_length(Message().varint(1, version).bytes());
  }

  /// A launch with metrics; `more` is put into the result as it is.
  struct Launch {
    std::string kernel = "kernel(float *)";
    std::array<uint64_t, 3> grid{8, 2, 1};
    std::array<uint64_t, 3> block{128, 1, 1};
    std::vector<std::pair<std::string, double>> metrics;
    std::vector<std::pair<std::string, std::string>> texts;
    Message more;
  };

  void device(uint64_t index, const std::string& name, uint64_t sm_count) {
    const Message attribute =
        Message().text(1, "device__attribute_multiprocessor_count").add(2, Message().varint(5, sm_count));
    block(Message().add(3, Message().add(6, Message().varint(1, index).text(2, name).add(3, attribute))), "");
  }
  void host(const std::string& name) { block(Message().add(3, Message().add(4, Message().text(5, name))), ""); }
  void tool(const std::string& name, const std::string& version) {
    block(Message().add(3, Message().add(8, Message().text(1, name).text(2, version))), "");
  }
  /// Device code, which a reader skips.
  void source(size_t size) {
    block(Message().varint(1, 1).varint(2, 0), with_length(Message().text(4, std::string(size, '\x7f')).bytes()));
  }

  void launch(const Launch& launch) {
    Message result;
    result.varint(1, 77).text(5, "_Z6kernelPf").text(6, "kernel").text(7, launch.kernel);
    result.add(10, extent(launch.grid)).add(11, extent(launch.block));
    Message names;
    bool new_names = false;
    const auto id = [&](const std::string& name) {
      for (size_t i = 0; i < names_.size(); ++i) {
        if (names_[i] == name) return i;
      }
      names_.push_back(name);
      names.text(1, name);
      new_names = true;
      return names_.size() - 1;
    };
    for (const auto& [name, value] : launch.metrics) {
      result.add(13, Message().varint(1, id(name)).add(2, Message().real(3, value)));
    }
    for (const auto& [name, value] : launch.texts) {
      result.add(13, Message().varint(1, id(name)).add(2, Message().text(1, value)));
    }
    result.raw(launch.more.bytes());
    Message header;
    header.varint(1, 0).varint(2, 1);
    if (new_names) header.add(4, names);
    block(header, with_length(result.bytes()));
  }

  static Message rule(const std::string& name, const std::string& section, uint64_t severity, const std::string& text,
                      double speedup = -1, uint64_t scope = 2) {
    Message finding;
    finding.add(1, Message().text(1, text).varint(2, severity).varint(3, 1));
    if (speedup >= 0) finding.add(10, Message().varint(1, scope).real(2, speedup));
    return Message().add(19, Message().text(1, name).text(2, name).add(3, Message().add(1, finding)).text(4, section));
  }
  static Message section(const std::string& id, const std::string& title, const std::string& metric) {
    const Message header = Message().add(2, Message().text(1, metric).text(2, "label"));
    return Message().add(17, Message().text(1, id).text(2, title).add(4, header));
  }

  void block(Message header, const std::string& payload) {
    header.varint(5, payload.size());
    file_ += with_length(header.bytes()) + payload;
  }

  const std::string& bytes() const { return file_; }

 private:
  static Message extent(const std::array<uint64_t, 3>& sizes) {
    return Message().varint(1, sizes[0]).varint(2, sizes[1]).varint(3, sizes[2]);
  }

  std::string file_;
  std::vector<std::string> names_;
};

}  // namespace cgpu::ncu::test
