// Which tables and views the viewer offers for a profile: those that would not be empty. O(slices), without computing
// any table.
#pragma once

#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "serve/profile.h"

namespace cgpu {

struct Contents {
  std::vector<const Analysis*> tables;  // in the order in which they are listed
  std::vector<std::string> views;
  bool is_of_one_kind = false;  // nearly all slices are, and no device works: their names say what they are
};

Contents contents_of(const Profile& profile);

}  // namespace cgpu
