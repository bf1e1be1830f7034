// One numbering of the names of all runs and of the names that the viewer adds, by which the page colours and labels.
//
// Equal texts have equal numbers. With a single run its name ids are the numbers. O(names) to build, 16 bytes a name in
// addition to the names of the runs, which must outlive it.
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

  /// The number of a name that the viewer adds. Only before the names are used by several threads.
  uint32_t add(std::string text);

  uint32_t of(size_t run, StringId name) const { return numbers_[run].empty() ? name : numbers_[run][name]; }
  std::string_view operator[](uint32_t number) const { return texts_[number]; }
  uint32_t size() const { return static_cast<uint32_t>(texts_.size()); }

 private:
  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, uint32_t> number_of_;  // of all names; with a single run of the added ones only
  std::vector<std::vector<uint32_t>> numbers_;                // by run; empty: the ids are the numbers
  std::deque<std::string> own_;
};

}  // namespace cgpu
