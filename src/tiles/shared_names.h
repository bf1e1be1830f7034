// One numbering of the names of all runs, and of those that the viewer adds: what the page colours and labels by.
//
// Equal texts have equal numbers. With one run its own ids are the numbers. O(names) once, 16 bytes a name besides what
// the runs hold; the runs must outlive it.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/run.h"

namespace cgpu {

class SharedNames {
 public:
  explicit SharedNames(const Session& session);

  /// The number of a text of the viewer's own; only while the names are put together.
  uint32_t add(std::string text);

  uint32_t of(size_t run, StringId name) const { return numbers_[run].empty() ? name : numbers_[run][name]; }
  std::string_view operator[](uint32_t number) const { return texts_[number]; }
  uint32_t size() const { return static_cast<uint32_t>(texts_.size()); }

 private:
  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, uint32_t> number_of_;  // of several runs; of one only what was added
  std::vector<std::vector<uint32_t>> numbers_;                // by run; empty: the ids are the numbers
  std::deque<std::string> own_;
};

}  // namespace cgpu
