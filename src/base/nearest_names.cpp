#include "base/nearest_names.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/ascii.h"

namespace cgpu {

namespace {

/// Insertions, deletions and replacements of one character, by rows. O(|a| |b|).
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view wanted, const std::vector<std::string>& names, size_t most) {
  std::vector<std::pair<size_t, std::string>> by_distance;
  for (const std::string& name : names) {
    by_distance.emplace_back(edit_distance(lower_case(wanted), lower_case(name)), name);
  }
  std::sort(by_distance.begin(), by_distance.end());
  by_distance.erase(std::unique(by_distance.begin(), by_distance.end()), by_distance.end());
  std::vector<std::string> nearest;
  for (size_t i = 0; i < std::min(most, by_distance.size()); ++i) nearest.push_back(std::move(by_distance[i].second));
  return nearest;
}

std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& names) {
  const std::vector<std::string> nearest = nearest_names(wanted, names);
  std::string text;
  for (size_t i = 0; i < nearest.size(); ++i) {
    if (i > 0) text += i + 1 == nearest.size() ? " or " : ", ";
    text += nearest[i];
  }
  return nearest.empty() ? "" : "did you mean " + text + "?";
}

}  // namespace cgpu
