// What the readers of cgpu's own exports share: docs/formats/perfetto.md and chrome.md, "What cgpu writes".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/export_marks.h"
#include "model/run.h"

namespace cgpu {

/// The kind with this text_of(); `none` for other texts.
CopyKind copy_kind_named(std::string_view text);
MemoryKind memory_kind_named(std::string_view text);
/// By a value of the argument "awaits".
std::optional<Synchronization::Kind> awaited_kind(std::string_view text);

/// The ends of arrows, put together by their numbers.
class ExportArrows {
 public:
  /// `number` may hold the kind already.
  void add(export_marks::FlowKind kind, uint64_t number, bool ends, SliceIndex slice) {
    ends_.push_back({uint64_t{static_cast<uint8_t>(kind)} << export_marks::kFlowKindShift | number, ends, slice});
  }
  /// Makes launches, links, handovers and records of them, in the order of kinds and numbers, and forgets them.
  /// O(n log n).
  void join(Run& run);

 private:
  struct End {
    uint64_t number;  // with its kind in the high bits
    bool ends;
    SliceIndex slice;
    auto operator<=>(const End&) const = default;
  };
  std::vector<End> ends_;
};

}  // namespace cgpu
