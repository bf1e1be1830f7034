// What the arguments of a node say, as their text: a list of values in which tensors are lists of six.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cgpu::chakra {

struct ArgumentList {
  uint32_t count = 0;      // arguments
  int64_t bytes = 0;       // of the tensors among them and in lists of them
  std::string first_word;  // the first argument that is a text
};

/// `text`: "[[4, 5, 0, 64, 4, 'cuda:0'], 1, "sum"]", with either kind of quotes; a tensor is its number, its storage's,
/// the offset in there, how many elements of how many bytes, and the device. O(length).
ArgumentList read_arguments(std::string_view text);

}  // namespace cgpu::chakra
