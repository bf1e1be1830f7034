// The line on stderr when a process of the job dies, with the file that it was opening.
//
// A process that crashes says it itself. One that is killed cannot: another process of its machine that waits for its
// end says it, before the launcher ends that one too. Where the job is ended from outside, or on another machine
// (SIGTERM), process 0 says which files were being opened.
#pragma once

#include <thread>
#include <vector>

#include "mpi/open_files.h"

namespace cgpu {

/// Handles the signals and watches for as long as it lives; one at a time. The process may end when it is gone.
class DeathNotice {
 public:
  explicit DeathNotice(OpenFiles& files);
  ~DeathNotice();
  DeathNotice(const DeathNotice&) = delete;
  DeathNotice& operator=(const DeathNotice&) = delete;

 private:
  void watch(const std::vector<ProcessSlot*>& others) const;

  OpenFiles& files_;
  int end_of_watch_ = -1;  // a file that can be read when there is nothing to watch any more
  std::thread watcher_;
};

}  // namespace cgpu
