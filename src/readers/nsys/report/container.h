// The container of an Nsight Systems report: sections, compressed blocks and the messages between them. Which numbers
// mean what: docs/formats/nsight-systems-report.md.
//
// A block is decompressed when it is asked for, and kept: every pass over a table goes through the same blocks. Those
// that do not fit into kMostKept are decompressed once a pass. Meanwhile another thread decompresses the next. Nothing
// in the file is believed: every length is checked against the bytes that are there, and against what LZ4 can expand
// to.
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace cgpu::nsys {

inline constexpr std::string_view kReportMagic = "NVIDIA Tegra Profiler Report ";

class ReportContainer {
 public:
  /// Reads the directory, or, where the file is cut short, looks for the events. Throws Error, which names the file
  /// `name`, where there are none. threads: 0 for as many as the machine has; more than two are not used.
  ReportContainer(std::shared_ptr<const File> file, std::string name, unsigned threads);

  const std::string& name() const { return name_; }
  /// Whether the file ends before its directory.
  bool is_cut() const { return !has_directory_; }
  /// The version of nsys that wrote it, as in "2025.1.1.110"; "" where it does not say.
  std::string version() const;
  /// The bytes of a section; empty where there is none.
  std::string section(const std::string& name) const;

  const std::string& head() const { return head_; }
  const std::string& info() const { return info_; }

  /// The blocks of events that were found: all of them, where the file says at which place they end.
  size_t blocks() const { return blocks_.size(); }
  /// Finds the one behind these; false where they or the file end.
  bool find_block();
  uint64_t position(size_t block) const { return blocks_[block].position; }
  /// The message of a block, valid until another one is asked for; nowhere (nullptr) where it is damaged. `next` is
  /// the block that will be asked for next, or none of them.
  std::string_view message(size_t block, size_t next);
  /// The message of the block of texts, which is at the place that the file says or else behind the last block that was
  /// found; nowhere (nullptr) where it is missing or damaged.
  std::string_view texts();
  /// The next message behind the block of texts, which must have been asked for; absent where the file ends in it.
  std::optional<std::string> next_message();
  /// Frees all blocks. From here on one is kept at a time, and none is decompressed ahead.
  void release();

 private:
  static constexpr uint64_t kMostKept = uint64_t{64} << 20;

  struct Section {
    uint64_t position = 0;
    uint64_t size = 0;
  };
  struct Block {
    uint64_t position = 0;     // of its compressed bytes in the file
    uint64_t stored = 0;       // how many they are
    uint64_t size = 0;         // how many they become
    std::string_view message;  // a part of these, while they are kept
  };
  /// The message of a block that is being decompressed.
  struct Ahead {
    size_t block;
    std::unique_ptr<char[]> bytes;  // its own, where it is not kept
    std::future<std::string_view> message;
  };
  void read_header();
  void read_directory();
  void find_events();
  std::optional<std::string> bytes(uint64_t position, uint64_t size) const;
  /// The block at `next_`, which moves behind it; absent where the file ends in it.
  std::optional<Block> take_block();
  bool is_decompressed(size_t block) const { return blocks_[block].message.data() != nullptr; }
  void start(size_t block, bool on_another_thread);
  /// Sets the message of the block that was started.
  void finish();
  /// The message of a block, whose bytes are written to `to`.
  std::string_view decompress(const Block& block, char* to) const;
  /// Takes a varint at `position`, which moves behind it.
  std::optional<uint64_t> varint_at(uint64_t& position) const;

  std::shared_ptr<const File> file_;
  std::string name_;
  uint64_t size_ = 0;
  bool has_directory_ = false;
  std::map<std::string, Section> sections_;
  std::string version_;
  uint64_t events_ = 0;               // position of the section of events
  uint64_t end_ = 0;                  // of it
  std::optional<uint64_t> texts_at_;  // position of the block of texts
  uint64_t next_ = 0;                 // position of the next block, then message
  std::string head_;
  std::string info_;
  std::vector<Block> blocks_;
  std::optional<Block> texts_;
  std::unique_ptr<char[]> kept_;     // bytes of blocks
  char* free_ = nullptr;             // behind the last of them
  uint64_t room_ = 0;                // there
  std::unique_ptr<char[]> at_hand_;  // those of one for which there is no room
  size_t block_at_hand_ = SIZE_MAX;
  std::unique_ptr<char[]> bytes_of_texts_;
  bool looks_ahead_;
  std::optional<Ahead> ahead_;  // the last member: its thread reads the file and writes to what is kept
};

}  // namespace cgpu::nsys
