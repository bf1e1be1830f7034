// What differs between the runs before and behind a change of level of a history (history.h): the verdict of the gate
// over both, and the parts of the run that moved.
//
// The gate (check/check.h) compares the runs with a tolerance of kLeastChange and without a floor. What runs of one
// level alone have, as a kernel that replaced another one, the gate does not compare; it is found by name. O(runs x
// names), of kMostLevelRuns runs a side at most.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gate/check/check.h"

namespace cgpu {

/// Smaller changes of level are not reported, as a share.
inline constexpr double kLeastChange = 0.01;
/// Of a level, those that are nearest to the change count.
inline constexpr size_t kMostLevelRuns = 20;

/// A part of the runs that moved.
struct MovedPart {
  std::string kind;  // time, op, class, kernel, layer, module, function
  std::string name;
  std::string unit;  // of the values: "ns", of a function that of its metric
  double before = 0;
  double after = 0;
  std::string verdict;  // slower, faster, new, gone

  double change() const { return after - before; }
};

struct LevelChange {
  Outcome outcome = Outcome::pass;
  std::string why;               // the result of the check, in a sentence
  std::vector<MovedPart> parts;  // that moved, largest change first
};

/// Neither side may be empty.
LevelChange level_change(const std::vector<CheckedRun>& before, const std::vector<CheckedRun>& after);

/// "busy +1.20 ms (+12.0%), kernel gemm +1.10 ms (+20.0%), op aten::mm +1.10 ms (+20.0%)": of each kind that says where
/// the change is, the part that moved most in its direction. "" where nothing did. `rises`: the direction.
std::string words_of(const std::vector<MovedPart>& parts, bool rises);

}  // namespace cgpu
