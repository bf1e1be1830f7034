// For whom a sampled program works: the time of interpreter, runtime and allocator as that of the user's function above
// them, and what they do there by its role (frame_roles.h). O(nodes), and for each function its role.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/call_tree/call_functions.h"
#include "analysis/call_tree/frame_roles.h"
#include "model/call_tree.h"

namespace cgpu {

struct SampledWork {
  CallFunctions functions;
  std::vector<FrameRole> role;        // by function; of the root and the starts of threads `runtime`
  std::vector<FunctionIndex> worker;  // by node: the user's function that it works for; kNoFunction where none is above
  std::vector<FrameRole> activity;    // by node: of the outermost frame that is one; else `user`
  std::vector<NodeIndex> started_by;  // by node: that frame; else kNoNode
};

SampledWork sampled_work_of(const CallTree& tree);

/// What was sampled of a metric in one or more call trees. Functions of one name are one.
struct WorkSums {
  struct OfFunction {
    double inclusive = 0;                   // here and below; recursion counts once
    double own = 0;                         // here, and in what is below it and no function of the user
    std::map<std::string, double> helpers;  // functions that are not the user's, by what they take themselves
  };
  struct OfActivity {
    double value = 0;
    std::map<std::string, double> entries;  // the frames that it begins with
    std::map<std::string, double> callers;  // the user's functions that it is for; "" where there is none
  };
  double whole = 0;
  std::map<std::string, OfFunction> functions;
  /// Those for a function of the user: a pool's workers that sleep slow nobody down. Of garbage all.
  std::map<FrameRole, OfActivity> activities;

  /// `work`: of the same tree.
  void add(const CallTree& tree, const SampledWork& work, MetricIndex metric);
  /// The user's functions, most first: by `own`, or by `inclusive`.
  std::vector<std::string> hottest(double OfFunction::*by) const;
};

/// The name with the largest value; "" of none.
std::string largest_name(const std::map<std::string, double>& values);

/// Whether a metric counts time, cycles or samples of a host, so that its values are shares of what the host did.
bool counts_host_time(const Metric& metric);

/// From the outermost to the given function of the user: the names of the user's functions on the stack that costs
/// most. Without runtime and interpreter; repeated names (recursion) once.
std::vector<std::string> way_to(const CallTree& tree, const SampledWork& work, MetricIndex metric,
                                const std::string& function);

}  // namespace cgpu
