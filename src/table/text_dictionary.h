// The distinct texts of a column, each stored once and named by a code.
//
// Codes count up from 0 in order of first appearance. The texts lie one after the other in one buffer with the offsets
// of their ends beside it: the layout of a utf8 array of Arrow, which can therefore be handed out as it is. Adding and
// finding are O(length). Not for more than 2 GiB of text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cgpu {

class TextDictionary {
 public:
  /// The code of `text`, added if it is new. Throws Error where the texts would need more than 2 GiB.
  int32_t code(std::string_view text);
  /// The code of `text`, -1 if there is none.
  int32_t find(std::string_view text) const;
  std::string_view operator[](int32_t code) const {
    const auto at = static_cast<size_t>(code);
    return std::string_view(bytes_).substr(static_cast<size_t>(offsets_[at]),
                                           static_cast<size_t>(offsets_[at + 1] - offsets_[at]));
  }
  size_t size() const { return offsets_.size() - 1; }

  const std::vector<int32_t>& offsets() const { return offsets_; }  // size() + 1 of them
  const std::string& bytes() const { return bytes_; }

 private:
  static constexpr int32_t kFree = -1;
  /// The slot in which `text` is, or would be.
  size_t slot_of(std::string_view text) const;
  void grow();

  std::vector<int32_t> offsets_ = {0};
  std::string bytes_;
  std::vector<int32_t> slots_;  // codes, open addressing, a power of two, at most half full
};

}  // namespace cgpu
