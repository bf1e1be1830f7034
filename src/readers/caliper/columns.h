// What the attributes of a Caliper profile are: parts of a path through the program, ranks, quantities.
#pragma once

#include <string>
#include <string_view>

#include "readers/common/call_tree_builder.h"

namespace cgpu::caliper {

/// An attribute as the file describes it.
struct Attribute {
  std::string name;   // "sum#inclusive#sum#time.duration"
  std::string alias;  // "Total time", "" where there is none
  std::string unit;   // "sec", "" where unknown
  bool nested = false;
  bool hidden = false;
};

/// What an attribute says of where a record was taken.
enum class PathRole : uint8_t {
  none,
  region,    // a level of the path: a region, a function
  activity,  // the kind of what ran on a device
  kernel,    // which kernel it was
  source,    // "file.c:12"
  module,    // program or library
};
PathRole path_role(const Attribute& attribute);

/// What the values of an attribute are.
enum class ColumnRole : uint8_t {
  ignored,  // numbers of records, borders of loops: no quantity of the program
  metric,
  rank,
  thread,
  interval_number,    // time series:
  interval_start,     //   seconds since 1970
  interval_duration,  //   seconds
  interval_iterations,
};
ColumnRole column_role(const Attribute& attribute);

/// How the values of a metric become one, by the operations that its name begins with: "min#...", "avg#...".
Combine combine_of(std::string_view name);
/// Whether they hold what lies below a region as well.
bool is_inclusive(std::string_view name);
/// A metric of the call tree.
Metric metric_of(const Attribute& attribute);

}  // namespace cgpu::caliper
