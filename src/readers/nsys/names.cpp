#include "readers/nsys/names.h"

#include "base/credentials.h"

namespace cgpu::nsys {

void Names::add(int64_t id, std::string_view text) {
  if (!by_id_.try_emplace(id, static_cast<uint32_t>(entries_.size())).second) return;
  entries_.push_back({texts_.size(), text.size(), StringPool::absent});
  texts_.append(text);
}

std::string_view Names::text(int64_t id) const {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return {};
  const Entry& entry = entries_[found->second];
  return std::string_view(texts_).substr(entry.begin, entry.size);
}

StringId Names::id(int64_t id) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return 0;
  Entry& entry = entries_[found->second];
  if (entry.id == StringPool::absent) entry.id = intern(std::string_view(texts_).substr(entry.begin, entry.size));
  return entry.id;
}

StringId Names::intern(std::string_view text) {
  const StringId known = pool_.find(text);
  if (known != StringPool::absent) return known;
  return pool_.intern(is_secret_value(text) ? "[hidden]" : text);
}

StringId Names::id(sqlite::Scan& scan, int column) {
  if (scan.is_null(column)) return 0;
  return scan.is_text(column) ? intern(scan.text(column)) : id(scan.integer(column));
}

}  // namespace cgpu::nsys
