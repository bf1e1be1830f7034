// Python pickles as data: dictionaries, lists, numbers and texts. Nothing is imported, called or built.
//
// A pickle is a program for a machine with a stack. Here only the operations that make plain data do anything. What
// asks for a class or a function gives an object that keeps what is put into it and does nothing else. Values are
// 16 bytes; containers and texts are in pools, so that values that a pickle uses in several places are one, also where
// they contain themselves. Memory: O(bytes of the pickle). Source: the comments of Python's pickletools module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_pool.h"
#include "base/text_source.h"
#include "model/notes.h"

namespace cgpu {

struct PickleValue {
  enum class Type : uint8_t { none, boolean, integer, real, text, sequence, dictionary, object };
  Type type = Type::none;
  uint32_t index = 0;  // of a text, or of a container
  union {
    int64_t integer = 0;
    double real;
  };
};

/// The bytes of a file, up to 8 GiB; what is more is noted.
std::string read_pickle(TextSource& source, Notes& notes);

class Pickle {
 public:
  /// Reads as far as the bytes are a pickle; they need not outlive the call.
  explicit Pickle(std::string_view bytes);

  /// What was pickled; of a pickle that is cut off or damaged, the value that was being made.
  const PickleValue& root() const { return root_; }
  /// Empty, or what is wrong and where.
  const std::string& damage() const { return damage_; }
  /// Behind its last byte, where more follows.
  std::optional<size_t> trailing() const { return trailing_; }
  /// How often something asked for a class, a function or an outside object.
  int64_t refused() const { return refused_; }

  std::optional<int64_t> integer(const PickleValue& value) const;
  /// "" for what is no text.
  std::string_view text(const PickleValue& value) const;
  /// The elements of a list or tuple; keys and values in turn of a dictionary; nothing of what is no container.
  const std::vector<PickleValue>& elements(const PickleValue& value) const;
  /// Of a dictionary of up to 100 keys; null where there is none of this key. O(keys).
  const PickleValue* find(const PickleValue& dictionary, std::string_view key) const;

 private:
  class Machine;

  StringPool texts_;
  std::vector<std::vector<PickleValue>> containers_;
  PickleValue root_;
  std::string damage_;
  std::optional<size_t> trailing_;
  int64_t refused_ = 0;
};

}  // namespace cgpu
