// The arguments of slices for an export: what the columns of the model hold, and what stands in the profile.
//
// The profile is read again. Slices are asked for in groups, and within a group in the order of the file: that is the
// cheap order for a compressed one (base/text_source.h).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/run.h"

namespace cgpu {

class EventArguments {
 public:
  /// Slices to ask for at once: enough that a compressed file is decoded few times, in some 50 MB of memory.
  static constexpr size_t kGroup = size_t{1} << 15;

  /// `from_profile`: else only the columns.
  EventArguments(const Run& run, bool from_profile);

  /// The arguments of these slices, in their order; valid until the next call. What the columns hold comes under the
  /// names that the PyTorch profiler uses: correlation, device, stream, bytes.
  const std::vector<std::vector<Argument>>& of(std::span<const SliceIndex> slices);

  /// The device op of a slice; kNone where it is none.
  uint32_t op_of(SliceIndex slice) const { return op_of_[slice]; }

 private:
  void add_columns(SliceIndex slice, std::vector<Argument>& arguments) const;

  const Run& run_;
  ArgumentSource* source_;
  std::vector<uint32_t> op_of_;
  std::vector<std::vector<Argument>> group_;
};

/// The value of an argument, or null where it is not there.
const std::string* find_argument(const std::vector<Argument>& arguments, std::string_view key);

/// The category that the PyTorch profiler writes for slices of this kind, by which other tools (and this one) know
/// them; the category of the profile for kinds that it has none for.
std::string_view category_of(const Timeline& timeline, SliceIndex slice);

}  // namespace cgpu
