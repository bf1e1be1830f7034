// A copy of the viewer in one HTML file that works without the program: the page, and the answers to what it asks for,
// recorded beforehand (docs/viewer-protocol.md, "A static copy").
//
// In the order in which they are recorded, until the file would be larger than allowed: the session and its names; the
// tables, how their rows are distributed, flame graphs; counters and busy times as columns; tiles of slices, from
// coarse to fine, each halved until it holds every one of its slices, from which the page makes all finer ones; the
// details of slices, the longest first. Tiles of a track: O(slices), of few slices each. Memory: the file, twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "serve/viewer.h"

namespace cgpu {

struct StaticCopyOptions {
  size_t most_bytes = size_t{50} << 20;  // of the file
  std::string made_by;                   // the command line, which the page names for what the copy lacks
  std::function<void(double)> progress;  // called with the share done (0..1)
};

struct StaticCopy {
  std::string html;
  size_t tiles = 0;
  size_t tables = 0;
  size_t details = 0;          // slices whose details are in it
  uint64_t slices = 0;         // of the profile
  bool whole_timeline = true;  // every slice can be zoomed in to, to the nanosecond
};

/// Records the first profile of the viewer, which must be open. Throws Error where not even tables and the coarsest
/// tiles fit.
StaticCopy make_static_copy(const Viewer& viewer, const Profile& profile, const StaticCopyOptions& options);

}  // namespace cgpu
