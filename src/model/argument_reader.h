// The arguments of many events, read ahead of their use.
//
// Events are taken in groups. While one group is used, other threads read the next from the profile, in the order of
// the file, whatever the order of use. Memory: two groups, about 20 MB.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/arguments.h"

namespace cgpu {

/// One argument of an event while it is used.
struct ArgumentView {
  uint32_t number = 0;  // of its key: the same for all events of a reader, small and without gaps
  std::string_view key;
  std::string_view value;
  bool json = false;  // as in Argument
};

class ArgumentReader {
 public:
  /// `source` may be null: no event has arguments then. `threads`: 0 for one per processor. `only`: the keys that are
  /// wanted, all where there are none; what is not wanted costs less.
  explicit ArgumentReader(ArgumentSource* source, unsigned threads = 0, std::vector<std::string> only = {});

  /// The number of a key; a new number for a new key.
  uint32_t number_of(const std::string& key);

  /// Calls use(i, arguments) for the i-th of `sources` in their order; the arguments are valid until it returns. Throws
  /// Error as the source does.
  template <typename Use>
  void for_each(std::span<const uint64_t> sources, Use use) {
    run(sources, [&](size_t first, const Group& group) {
      for (size_t i = 0; i < group.place.size(); ++i) use(first + i, views_of(group, i));
    });
  }

 private:
  static constexpr size_t kGroup = size_t{1} << 15;  // a compressed file is decoded once for each, at most
  static constexpr size_t kPiece = size_t{1} << 12;  // events that one thread reads at a time

  struct Piece {
    ArgumentBatch batch;
    std::vector<uint32_t> numbers;  // of the keys of the batch
  };
  struct Group {
    std::vector<uint32_t> place;  // for each event, its place in the order of the file
    std::vector<Piece> pieces;
  };

  void run(std::span<const uint64_t> sources, const std::function<void(size_t first, const Group&)>& use);
  void read(std::span<const uint64_t> sources, Group& group);
  void number_keys(Piece& piece);
  std::span<const ArgumentView> views_of(const Group& group, size_t event);

  ArgumentSource* source_;
  unsigned threads_;
  std::vector<std::string> only_;
  std::mutex mutex_;  // of the numbers
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<ArgumentView> views_;
};

}  // namespace cgpu
