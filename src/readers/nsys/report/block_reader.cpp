#include "readers/nsys/report/block_reader.h"

#include <utility>

#include "base/threads.h"

namespace cgpu::nsys {

std::string_view BlockReader::message(size_t number) {
  if (number == number_) return block_.message;
  const bool in_turn = number == number_ + 1;  // also the first one of all
  if (next_read_.valid()) next_read_.wait();
  number_ = SIZE_MAX;  // until it is read
  if (number == std::exchange(next_, SIZE_MAX)) {
    next_read_.get();
    std::swap(block_, next_block_);
  } else {
    container_.read_block(blocks_[number], block_);
  }
  number_ = number;
  if (in_turn && number + 1 < blocks_.size()) {
    next_ = number + 1;
    next_read_ = in_background([this, block = blocks_[next_]] { container_.read_block(block, next_block_); });
  }
  return block_.message;
}

void BlockReader::release() {
  if (next_read_.valid()) next_read_.wait();
  block_ = {};
  next_block_ = {};
  number_ = next_ = SIZE_MAX;
}

}  // namespace cgpu::nsys
