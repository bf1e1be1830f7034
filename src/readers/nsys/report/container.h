// The container of an Nsight Systems report: sections, compressed blocks and the messages between them. Which numbers
// mean what: docs/formats/nsight-systems-report.md.
//
// A block is read when it is asked for; nothing in the file is believed: every length is checked against the bytes that
// are there, and against what LZ4 can expand to.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace cgpu::nsys {

inline constexpr std::string_view kReportMagic = "NVIDIA Tegra Profiler Report ";

/// A compressed block.
struct ReportBlock {
  uint64_t position = 0;  // of its bytes in the file
  uint64_t stored = 0;    // how many they are
  uint64_t size = 0;      // how many they become
};

class ReportContainer {
 public:
  /// Reads the directory, or, where the file is cut short, looks for the events. Throws Error, which names the file
  /// `name`, where there are none.
  ReportContainer(std::shared_ptr<const File> file, std::string name);

  const std::string& name() const { return name_; }
  /// Whether the file ends before its directory.
  bool is_cut() const { return !has_directory_; }
  /// The version of nsys that wrote it, as in "2025.1.1.110"; "" where it does not say.
  std::string version() const;
  /// The bytes of a section; empty where there is none.
  std::string section(const std::string& name) const;

  const std::string& head() const { return head_; }
  const std::string& info() const { return info_; }

  /// Whether the file says where the block of texts begins.
  bool knows_texts() const { return texts_.has_value(); }
  /// The block that begins where the last one that was given ended (the first one at first); absent where the file ends
  /// in it, and at the block of texts, where that is known.
  std::optional<ReportBlock> next_block() { return texts_ && next_ >= *texts_ ? std::nullopt : take_block(); }
  /// The same for the block of texts, at the place that the file says or else behind the last block that was given.
  std::optional<ReportBlock> texts_block() {
    if (texts_) next_ = *texts_;
    return take_block();
  }
  /// The next message behind the block of texts, which must have been asked for; absent where the file ends in it.
  std::optional<std::string> next_message();

  /// A block that was read. Its memory is used again for the next one, and does not shrink.
  struct Decompressed {
    Decompressed() = default;
    Decompressed(Decompressed&&) = default;
    Decompressed& operator=(Decompressed&&) = default;  // not copied: `message` is a part of `bytes`

    std::vector<char> stored;  // its compressed bytes
    std::vector<char> bytes;   // what they become
    std::string_view message;  // a part of these; nowhere (nullptr) where they are damaged
  };
  /// For several threads at a time.
  void read_block(const ReportBlock& block, Decompressed& to) const;

 private:
  struct Section {
    uint64_t position = 0;
    uint64_t size = 0;
  };
  void read_header();
  void read_directory();
  void find_events();
  std::optional<std::string> bytes(uint64_t position, uint64_t size) const;
  std::optional<ReportBlock> take_block();
  /// Takes a varint at `position`, which moves behind it.
  std::optional<uint64_t> varint_at(uint64_t& position) const;

  std::shared_ptr<const File> file_;
  std::string name_;
  uint64_t size_ = 0;
  bool has_directory_ = false;
  std::map<std::string, Section> sections_;
  std::string version_;
  uint64_t events_ = 0;            // position of the section of events
  uint64_t end_ = 0;               // of it
  std::optional<uint64_t> texts_;  // position of the block of texts
  uint64_t next_ = 0;              // position of the next block, then message
  std::string head_;
  std::string info_;
};

}  // namespace cgpu::nsys
