// Reads the blocks of a report; while they are asked for in turn, another thread reads the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <string_view>
#include <vector>

#include "readers/nsys/report/container.h"

namespace cgpu::nsys {

/// For one thread at a time.
class BlockReader {
 public:
  /// Both must outlive it; blocks may be added.
  BlockReader(const ReportContainer& container, const std::vector<ReportBlock>& blocks)
      : container_(container), blocks_(blocks) {}
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;

  /// The message of a block, valid until another one is asked for; empty where it is damaged.
  std::string_view message(size_t number);
  /// Frees the memory of the blocks.
  void release();

 private:
  using Decompressed = ReportContainer::Decompressed;

  const ReportContainer& container_;
  const std::vector<ReportBlock>& blocks_;
  Decompressed block_;
  size_t number_ = SIZE_MAX;  // of this block
  Decompressed next_block_;
  size_t next_ = SIZE_MAX;       // its number, where it is read
  std::future<void> next_read_;  // waits when it is destroyed, before what it reads into is
};

}  // namespace cgpu::nsys
