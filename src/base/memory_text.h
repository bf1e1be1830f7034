// A text in memory as the source of a reader.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/text_source.h"
#include "base/to_size.h"

namespace cgpu {

/// The text must outlive it.
class MemoryText final : public TextSource {
 public:
  explicit MemoryText(std::string_view text) : text_(text) {}

  size_t read_at(uint64_t position, char* to, size_t size) override {
    return text_.copy(to, size, to_size(std::min<uint64_t>(position, text_.size())));
  }
  bool is_quick_anywhere() const override { return true; }
  uint64_t stored_bytes() const override { return text_.size(); }
  uint64_t stored_position() const override { return text_position(); }

 private:
  size_t read_next(char* to, size_t size) override { return read_at(text_position(), to, size); }

  std::string_view text_;
};

}  // namespace cgpu
