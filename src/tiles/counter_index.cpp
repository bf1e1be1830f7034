#include "tiles/counter_index.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tiles/bytes.h"

namespace cgpu {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}  // namespace

CounterIndex::CounterIndex(std::vector<Sample> samples) : samples_(std::move(samples)) {
  const auto earlier = [](const Sample& a, const Sample& b) { return a.time < b.time; };
  if (!std::is_sorted(samples_.begin(), samples_.end(), earlier)) {
    std::stable_sort(samples_.begin(), samples_.end(), earlier);
  }
  const size_t leaves = (samples_.size() + kLeaf - 1) / kLeaf;
  nodes_.assign(2 * leaves, Range{kInfinity, -kInfinity});
  for (size_t i = 0; i < samples_.size(); ++i) {
    Range& leaf = nodes_[leaves + i / kLeaf];
    leaf = {std::min(leaf.minimum, samples_[i].value), std::max(leaf.maximum, samples_[i].value)};
  }
  for (size_t node = leaves; node-- > 1;) {
    nodes_[node] = {std::min(nodes_[2 * node].minimum, nodes_[2 * node + 1].minimum),
                    std::max(nodes_[2 * node].maximum, nodes_[2 * node + 1].maximum)};
  }
}

size_t CounterIndex::first_from(int64_t time) const {
  return static_cast<size_t>(
      std::partition_point(samples_.begin(), samples_.end(), [&](const Sample& sample) { return sample.time < time; }) -
      samples_.begin());
}

void CounterIndex::widen(Range& range, size_t first, size_t last) const {
  const auto take = [&](double minimum, double maximum) {
    range = {std::min(range.minimum, minimum), std::max(range.maximum, maximum)};
  };
  const size_t leaves = nodes_.size() / 2;
  while (first < last && first % kLeaf != 0) take(samples_[first].value, samples_[first].value), ++first;
  while (first < last && last % kLeaf != 0) --last, take(samples_[last].value, samples_[last].value);
  size_t left = leaves + first / kLeaf;
  size_t right = leaves + last / kLeaf;
  for (; left < right; left /= 2, right /= 2) {
    if ((left & 1) == 1) take(nodes_[left].minimum, nodes_[left].maximum), ++left;
    if ((right & 1) == 1) --right, take(nodes_[right].minimum, nodes_[right].maximum);
  }
}

std::vector<CounterIndex::Entry> CounterIndex::entries(const TilePlace& place) const {
  std::vector<Entry> entries;
  size_t first = first_from(place.edge(0));
  if (first > 0) {  // the value before the tile holds until the first sample
    const double value = samples_[first - 1].value;
    if (first == samples_.size() || samples_[first].time >= place.edge(1)) entries.push_back({value, value, value, 0});
  }
  while (first < samples_.size()) {
    const int bucket = place.bucket(samples_[first].time);
    if (bucket == kTileBuckets) break;
    const size_t last = first_from(place.edge(bucket + 1));
    if (last == first) break;  // the bucket begins at the end of representable time
    Range range{kInfinity, -kInfinity};
    // Until its first sample, the value before the bucket holds.
    widen(range, first > 0 && samples_[first].time > place.edge(bucket) ? first - 1 : first, last);
    entries.push_back({range.minimum, range.maximum, samples_[last - 1].value, static_cast<uint16_t>(bucket)});
    first = last;
  }
  return entries;
}

std::string CounterIndex::tile(const TilePlace& place) const {
  const std::vector<Entry> found = entries(place);
  std::string out;
  append_number(out, magic("CGC1"));
  append_number(out, static_cast<uint32_t>(found.size()));
  append_number(out, uint64_t{0});
  for (const Entry& entry : found) append_number(out, entry.minimum);
  for (const Entry& entry : found) append_number(out, entry.maximum);
  for (const Entry& entry : found) append_number(out, entry.last);
  for (const Entry& entry : found) append_number(out, entry.bucket);
  pad_to_8(out);
  return out;
}

}  // namespace cgpu
