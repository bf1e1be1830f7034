// What a profile has something to say about: which tables would not be empty, and which views. O(slices), without
// computing any table.
#pragma once

#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "serve/profile.h"

namespace cgpu {

struct Contents {
  std::vector<const Analysis*> tables;  // in the order in which they are listed
  std::vector<std::string> views;
};

Contents contents_of(const Profile& profile);

}  // namespace cgpu
