// One plane of an XPlane profile: its names, and its statistics with their names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "readers/common/protobuf.h"

namespace cgpu::xplane {

/// A named value of an event or a plane.
struct Stat {
  std::string_view name;
  std::optional<int64_t> integer;
  std::string_view text;
};

/// What an event is, said once for all events of its kind.
struct EventKind {
  std::string_view name;
  std::string_view stats;  // the message, for its statistics; empty where it has none
};

/// Views into the bytes of the plane.
class Plane {
 public:
  /// Reads all but the events. O(bytes), reading only the heads of lines.
  explicit Plane(std::string_view bytes);

  std::string_view name() const { return name_; }
  const std::vector<std::string_view>& lines() const { return lines_; }
  const EventKind* kind(uint64_t id) const;
  /// The statistics of the plane itself.
  std::vector<Stat> stats() const;
  Stat stat(std::string_view message) const;
  bool damaged() const { return damaged_; }
  int64_t kinds() const { return static_cast<int64_t>(kinds_.size()); }

 private:
  std::string_view name_;
  std::vector<std::string_view> lines_;
  std::vector<std::string_view> stats_;
  std::unordered_map<uint64_t, EventKind> kinds_;
  std::unordered_map<uint64_t, std::string_view> stat_names_;
  bool damaged_ = false;
};

}  // namespace cgpu::xplane
