// The arguments of slices for an export: those in the profile, and the values in columns of the model.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "model/argument_reader.h"
#include "model/run.h"

namespace cgpu {

class EventArguments {
 public:
  /// Without `from_profile` only the values in columns.
  EventArguments(const Run& run, bool from_profile);

  /// Calls use(slice, arguments) for each slice in order; the arguments are valid until it returns. Values in columns
  /// have the names that the PyTorch profiler uses: correlation, device, stream, bytes.
  template <typename Use>
  void for_each(std::span<const SliceIndex> slices, Use use) {
    sources_.resize(slices.size());
    for (size_t i = 0; i < slices.size(); ++i) sources_[i] = run_.timeline.slices.source[slices[i]];
    reader_.for_each(sources_, [&](size_t i, std::span<const ArgumentView> arguments) {
      use(slices[i], with_columns(slices[i], arguments));
    });
  }

  /// The device op of a slice; kNone for other slices.
  uint32_t op_of(SliceIndex slice) const { return op_of_[slice]; }

 private:
  std::span<const ArgumentView> with_columns(SliceIndex slice, std::span<const ArgumentView> arguments);
  void add_column(size_t column, int64_t value);
  void find_foreign_ids();

  const Run& run_;
  ArgumentReader reader_;
  std::vector<uint32_t> op_of_;
  std::vector<uint64_t> sources_;
  std::vector<ArgumentView> arguments_;
  struct Column {
    uint32_t number = 0;
    std::array<char, 24> digits{};
  };
  std::array<Column, 4> columns_;  // as kColumns in the source
  /// Correlation ids of device ops without a launch that calls of other processes have too. They are not written,
  /// because readers would take such a call for the launch.
  std::unordered_set<int64_t> foreign_ids_;
};

/// The category that the PyTorch profiler writes for slices of this kind, by which other tools recognise them; for
/// other kinds the category in the profile.
std::string_view category_of(const Timeline& timeline, SliceIndex slice);

}  // namespace cgpu
