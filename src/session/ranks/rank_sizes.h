// How many ranks are opened at once: by the processors, and by the sizes of their files and memory.
#pragma once

#include <vector>

#include "readers/reader.h"
#include "session/open_options.h"
#include "session/selection/number_list.h"

namespace cgpu {

/// The threads to work with: a process among several of its machine has its share of the processors.
unsigned threads_of(const OpenOptions& open);

/// About how many bytes a profile needs at most while it is open. 0 where its size is not known.
double open_bytes(const ProfilePath& profile);

/// How many of these to open at once, with as many threads.
unsigned concurrent_ranks(const std::vector<ProfilePath>& profiles, const OpenOptions& open, unsigned threads);

/// Whether as many ranks may be open together as are selected (empty: all), and one more, which is released.
bool fit_together(const std::vector<ProfilePath>& profiles, const OpenOptions& open, const NumberList& ranks);

/// The indices of profiles, the largest first.
std::vector<uint32_t> largest_first(const std::vector<ProfilePath>& profiles);

}  // namespace cgpu
