// The arguments of slices for an export: those in the profile, and the values in columns of the model.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/argument_reader.h"
#include "model/run.h"

namespace cgpu {

class EventArguments {
 public:
  /// By what a reader of the export joins device ops with their launches.
  enum class Joined : uint8_t { by_correlation, by_flow };
  /// Without `from_profile` only the values in columns.
  EventArguments(const Run& run, bool from_profile, Joined joined);

  /// Calls use(slice, arguments) for each slice in order; the arguments are valid until it returns. Values in columns
  /// have the names that the PyTorch profiler uses where it has one (correlation, device, stream, bytes, those of
  /// collectives); what else the profile calls so is renamed to "NAME (profile)".
  template <typename Use>
  void for_each(std::span<const SliceIndex> slices, Use use) {
    sources_.resize(slices.size());
    for (size_t i = 0; i < slices.size(); ++i) sources_[i] = run_.timeline.slices.source[slices[i]];
    reader_.for_each(sources_, [&](size_t i, std::span<const ArgumentView> arguments) {
      use(slices[i], with_columns(slices[i], arguments));
    });
  }

  /// Whether the correlation id of a slice is left out of its arguments, because readers would join it by that with the
  /// call of another process.
  bool is_foreign(SliceIndex slice) const {
    return op_of_[slice] != kNone && run_.timeline.slices.launch[slice] == kNone &&
           foreign_ids_.contains(run_.timeline.slices.correlation[slice]);
  }

 private:
  std::span<const ArgumentView> with_columns(SliceIndex slice, std::span<const ArgumentView> arguments);
  void add_device_op(uint32_t op);
  void add_collectives(std::span<const Collective> of_op);
  void add_wait(const Synchronization& wait);
  void add_number(size_t column, int64_t value);
  void add_text(size_t column, std::string_view value);
  void add_column(size_t column, std::string_view value, bool json);
  void find_foreign_ids();

  const Run& run_;
  ArgumentReader reader_;
  std::vector<uint32_t> op_of_;
  std::vector<uint64_t> sources_;
  std::vector<ArgumentView> arguments_;
  struct Column {
    uint32_t number = 0;
    std::string renamed;  // what the profile calls so
    uint32_t renamed_number = 0;
    std::array<char, 24> digits{};
  };
  std::vector<Column> columns_;  // as kColumns in the source
  std::unordered_map<SliceIndex, std::span<const Collective>> collectives_;
  std::string transfers_;  // of the op that is asked for
  std::unordered_map<SliceIndex, const Synchronization*> waits_;
  std::vector<bool> is_more_;  // slices that are a collective or a wait: few, so that the maps are seldom asked
  /// Correlation ids of device ops without a launch that calls of other processes have too.
  std::unordered_set<int64_t> foreign_ids_;
};

/// The category that an export writes first for slices of this one: that of the kind (model/export_marks.h), for other
/// kinds the profile's own, unless that stands for a kind.
std::string_view written_category(const Category& category);

}  // namespace cgpu
