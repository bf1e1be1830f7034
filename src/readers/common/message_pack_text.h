// A MessagePack document as the JSON that says the same, in a stream, for readers of JSON. O(1) memory besides one
// text, of at most 16 MB, and the open containers, of at most 1,024.
//
// Maps have texts as keys; binary data and extensions are damage. Numbers that JSON does not have are null.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/text_source.h"

namespace cgpu {

class MessagePackText : public TextSource {
 public:
  /// `packed` is read to its end and must live as long.
  explicit MessagePackText(TextSource& packed) : packed_(packed), buffer_(size_t{64} << 10, '\0') {}

  /// There is no other way in than from the start.
  size_t read_at(uint64_t, char*, size_t) override { return 0; }
  uint64_t stored_bytes() const override { return packed_.stored_bytes(); }
  uint64_t stored_position() const override { return packed_.stored_position(); }

 protected:
  size_t read_next(char* to, size_t size) override;

 private:
  struct Container {
    bool is_map;
    uint64_t left;  // values; of a map keys and values
    bool is_first = true;
  };

  bool take(char* to, size_t size);
  bool take_number(size_t bytes, uint64_t& number);
  void fail(const char* what);
  void convert();
  void convert_value(uint8_t type);
  void begin(bool is_map, uint64_t size);
  void convert_text(uint64_t size);
  void convert_real(double value);
  void close_full();

  TextSource& packed_;
  std::string buffer_;
  size_t at_ = 0;
  size_t size_ = 0;
  std::string text_;  // converted, and not yet given out
  size_t given_ = 0;
  std::vector<Container> open_;
  bool ended_ = false;
};

}  // namespace cgpu
