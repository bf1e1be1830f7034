// Which process each thread is of, where the identities do not say it.
//
// HPCToolkit names threads by machine, rank and number. Programs without MPI have no ranks: the processes of a script
// or of a pool are all "thread 0", and so are the same ranks of several runs that were measured into one folder. In one
// process no identity occurs twice, so that each repeated thread 0 is a process of its own. Other threads belong to the
// process during whose main thread they began, where only one was there. O(threads log threads).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/notes.h"
#include "readers/common/bytes.h"
#include "readers/hpctoolkit/meta.h"
#include "readers/hpctoolkit/profiles.h"

namespace cgpu::hpctoolkit {

struct Processes {
  /// Of the profiles: the number of the process, from 1 in the order in which they began; 0 where its identity says it
  /// all, or where it cannot be determined.
  std::vector<uint32_t> of_profile;
  std::vector<std::string> programs;  // of the processes, by number - 1: what they ran, "" where that is unknown

  uint32_t of(uint32_t profile) const { return profile < of_profile.size() ? of_profile[profile] : 0; }
};

/// `trace`: the bytes of a trace.db, empty where there is none. That sums are over several processes or runs goes to
/// the notes.
Processes find_processes(const Profiles& profiles, const Bytes& trace, const Meta& meta, Notes& notes);

}  // namespace cgpu::hpctoolkit
