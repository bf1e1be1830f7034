// What is said when a process of the job dies, on stderr, in a line with the file that it was opening.
//
// A process that crashes says it itself. One that is killed cannot: the launcher then ends the others (SIGTERM), and of
// the processes of its machine that are left the first one says it. Where none is left there, and where the job is
// ended from outside, process 0 says which files were being opened.
#pragma once

#include "mpi/open_files.h"

namespace cgpu {

/// Handles the signals for as long as it lives; one at a time.
class DeathNotice {
 public:
  explicit DeathNotice(const OpenFiles& files);
  ~DeathNotice();
  DeathNotice(const DeathNotice&) = delete;
  DeathNotice& operator=(const DeathNotice&) = delete;
};

}  // namespace cgpu
