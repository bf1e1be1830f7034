// Debug annotations: the arguments of track events, and what the model keeps of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/run.h"
#include "readers/common/known_arguments.h"
#include "readers/common/protobuf.h"
#include "readers/perfetto/interned.h"

namespace cgpu::perfetto {

/// The texts that an event's numbers stand for.
struct TextsInUse {
  const StringPool& pool;
  const AnnotationTexts* texts;  // may be null

  std::string_view name(uint64_t iid) const { return text(texts ? texts->names.find(iid) : nullptr); }
  std::string_view string(uint64_t iid) const { return text(texts ? texts->strings.find(iid) : nullptr); }
  std::string_view compute_name(uint64_t iid) const { return text(texts ? texts->compute_names.find(iid) : nullptr); }

 private:
  std::string_view text(const StringId* id) const { return id ? pool[*id] : std::string_view(); }
};

using known_arguments::Arg;

/// `none` for an argument without a place in the model.
Arg arg_of(std::string_view name);

/// The arguments of one event that the model asks for.
class KnownArguments {
 public:
  void clear() { present_ = 0; }
  /// A DebugAnnotation message; a dictionary's entries count as if they were by themselves.
  void add(std::string_view annotation, const TextsInUse& texts);
  /// A key with a text (GpuRenderStageEvent.ExtraData).
  void add(std::string_view name, std::string_view text);
  void set_integer(Arg arg, int64_t value) { set(arg, {value, {}}); }
  /// An ExtraComputeArg message.
  void add_compute(std::string_view argument, const TextsInUse& texts);

  bool has(Arg arg) const { return (present_ >> static_cast<unsigned>(arg) & 1) != 0; }
  std::optional<int64_t> integer(Arg arg) const;
  /// "" where absent; numbers as decimals.
  std::string text(Arg arg) const;

 private:
  struct Value {
    std::optional<int64_t> integer;
    std::string text;  // where it is no integer
  };
  static_assert(static_cast<size_t>(Arg::none) <= 64);
  void add_entry(std::string_view annotation, const TextsInUse& texts, bool inside);
  void set(Arg arg, Value value);

  uint64_t present_ = 0;
  std::array<Value, static_cast<size_t>(Arg::none)> values_;
};

/// What arguments say as those of a collective or transfer.
Collective collective_of(SliceIndex slice, const KnownArguments& arguments, Timeline& timeline);
/// Adds the collective, or the transfers, that the arguments of a device op describe, if they do.
void add_collective(SliceIndex slice, const KnownArguments& arguments, Timeline& timeline);

/// What arguments say as those of an allocation or release.
MemoryEvent memory_event_of(int64_t time, const KnownArguments& arguments);

/// The annotation as an argument; its texts may be JSON.
Argument argument_of(std::string_view annotation, const TextsInUse& texts);
/// Its name and its value where that is a number.
std::pair<std::string_view, std::optional<double>> number_of(std::string_view annotation, const TextsInUse& texts);
/// An ExtraComputeArg message, which kernels and launches have, as an argument.
Argument compute_argument_of(std::string_view argument, const TextsInUse& texts);

}  // namespace cgpu::perfetto
