// Interned data: the short numbers that a sequence of packets gives to names, categories, kernels and queues.
//
// Numbers hold for one sequence until it clears its state. The texts that annotations are made of are kept beyond
// that, since annotations are read again on demand.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/string_pool.h"
#include "base/to_size.h"
#include "readers/perfetto/packets.h"

namespace cgpu::perfetto {

/// Values by number. Writers count up from 1, so most lie in a vector; O(1).
template <typename T>
class IdTable {
 public:
  void set(uint64_t id, T value) {
    if (id < 2 * dense_.size() + 64) {
      const size_t at = to_size(id);
      if (at >= dense_.size()) dense_.resize(at + 1);
      dense_[at] = std::move(value);
    } else {
      sparse_[id] = std::move(value);
    }
  }
  /// Null where the number is not known.
  const T* find(uint64_t id) const {
    if (id < dense_.size() && dense_[to_size(id)]) return &*dense_[to_size(id)];
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? nullptr : &found->second;
  }
  bool empty() const { return dense_.empty() && sparse_.empty(); }

 private:
  std::vector<std::optional<T>> dense_;
  std::unordered_map<uint64_t, T> sparse_;
};

/// The texts of annotations of one sequence between two clearings; ids of ArgumentTexts::pool.
struct AnnotationTexts {
  IdTable<StringId> names;
  IdTable<StringId> strings;
  IdTable<StringId> compute_names;  // of kernels' and launches' arguments

  bool empty() const { return names.empty() && strings.empty() && compute_names.empty(); }
};

/// The texts of annotations of a whole trace.
class ArgumentTexts {
 public:
  StringPool pool;

  /// From `place` on, the sequence's texts are these.
  void begin(uint64_t sequence, const PacketPlace& place, std::shared_ptr<const AnnotationTexts> texts) {
    auto& all = generations_[sequence];
    if (!all.empty() && all.back().second->empty()) all.pop_back();
    all.emplace_back(place, std::move(texts));
  }
  /// The texts that hold at a place; null where there are none.
  const AnnotationTexts* at(uint64_t sequence, const PacketPlace& place) const {
    const auto found = generations_.find(sequence);
    if (found == generations_.end()) return nullptr;
    const AnnotationTexts* last = nullptr;
    auto low = found->second.begin();
    auto high = found->second.end();
    while (low != high) {
      const auto middle = low + (high - low) / 2;
      if (middle->first <= place) {
        last = middle->second.get();
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return last;
  }

  /// Places of the packets that hold others, by number; see Slices::source in arguments.h.
  std::vector<uint64_t> blocks;

 private:
  std::unordered_map<uint64_t, std::vector<std::pair<PacketPlace, std::shared_ptr<const AnnotationTexts>>>>
      generations_;
};

struct GpuCounter {
  StringId name = 0;
  int64_t gpu = -1;  // -1: as the event says
};
using GpuCounters = std::unordered_map<uint64_t, GpuCounter>;

/// All numbers of a sequence; names are ids of the run's pool.
struct Interned {
  IdTable<StringId> categories;
  IdTable<StringId> event_names;
  IdTable<StringId> specifications;  // queues of GPUs, and stages of what runs there
  IdTable<StringId> kernels;         // demangled where that was given
  IdTable<std::shared_ptr<const GpuCounters>> counters;
};

}  // namespace cgpu::perfetto
