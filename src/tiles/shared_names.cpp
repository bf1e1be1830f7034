#include "tiles/shared_names.h"

#include <utility>

namespace cgpu {

SharedNames::SharedNames(const Session& session) : numbers_(session.runs.size()) {
  if (session.runs.size() == 1) {
    const StringPool& pool = session.runs.front().timeline.names;
    texts_.reserve(pool.size());
    for (StringId id = 0; id < pool.size(); ++id) texts_.push_back(pool[id]);
    return;
  }
  for (size_t run = 0; run < session.runs.size(); ++run) {
    const StringPool& pool = session.runs[run].timeline.names;
    for (StringId id = 0; id < pool.size(); ++id) {
      const auto [at, is_new] = number_of_.try_emplace(pool[id], size());
      if (is_new) texts_.push_back(pool[id]);
      numbers_[run].push_back(at->second);
    }
  }
}

uint32_t SharedNames::add(std::string text) {
  if (const auto known = number_of_.find(text); known != number_of_.end()) return known->second;
  const std::string& kept = own_.emplace_back(std::move(text));
  number_of_.emplace(kept, size());
  texts_.push_back(kept);
  return size() - 1;
}

}  // namespace cgpu
