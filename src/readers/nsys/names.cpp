#include "readers/nsys/names.h"

#include <algorithm>

namespace cgpu::nsys {

uint32_t Names::place_of(int64_t id) const {
  if (id >= 0 && static_cast<uint64_t>(id) < dense_.size()) {
    const uint32_t place = dense_[static_cast<size_t>(id)];
    if (place != StringPool::absent) return place;
  }
  if (others_.empty()) return StringPool::absent;
  const auto found = others_.find(id);
  return found == others_.end() ? StringPool::absent : found->second;
}

void Names::add(int64_t id, std::string_view text) {
  if (place_of(id) != StringPool::absent) return;
  const auto place = static_cast<uint32_t>(entries_.size());
  // Ids beyond twice the number of texts would cost more memory in the column than in the map.
  constexpr uint64_t kSpare = 1024;
  if (id >= 0 && static_cast<uint64_t>(id) < 2 * entries_.size() + kSpare) {
    const auto at = static_cast<size_t>(id);
    if (at >= dense_.size()) dense_.resize(std::max(at + 1, 2 * dense_.size()), StringPool::absent);
    dense_[at] = place;
  } else {
    others_.emplace(id, place);
  }
  entries_.push_back({texts_.size(), text.size(), StringPool::absent});
  texts_.append(text);
}

std::string_view Names::text(int64_t id) const {
  const uint32_t place = place_of(id);
  if (place == StringPool::absent) return {};
  return std::string_view(texts_).substr(entries_[place].begin, entries_[place].size);
}

StringId Names::id(int64_t id) {
  const uint32_t place = place_of(id);
  if (place == StringPool::absent) return 0;
  Entry& entry = entries_[place];
  if (entry.id == StringPool::absent) entry.id = intern(std::string_view(texts_).substr(entry.begin, entry.size));
  return entry.id;
}

StringId Names::intern(std::string_view text) {
  return pool_.intern(text);
}

StringId Names::id(Row& row, int column) {
  if (row.is_null(column)) return 0;
  return row.is_text(column) ? intern(row.text(column)) : id(row.integer(column));
}

}  // namespace cgpu::nsys
