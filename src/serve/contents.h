// What a profile has something to say about: which tables would not be empty, and which views. O(slices), without
// computing any table.
#pragma once

#include <string>
#include <vector>

#include "serve/profile.h"

namespace cgpu {

struct Contents {
  std::vector<std::string> tables;  // in the order in which they are listed
  std::vector<std::string> views;
};

Contents contents_of(const Profile& profile);

}  // namespace cgpu
