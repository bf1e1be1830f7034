// Which process has which file open, readable also after a process has died: the processes of a machine share this by
// memory, and process 0 knows which files it has given to which process.
//
// Written while a job runs, read in signal handlers: fixed arrays, nothing is allocated.
#pragma once

#include <mpi.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <string>
#include <vector>

namespace cgpu {

/// The name of a file, as far as it fits: its end, which tells files apart.
class FileSlot {
 public:
  void set(const std::string& file);
  /// "" for none. Another process may be writing it: then it is a part of a name.
  const char* name() const { return name_.data(); }

 private:
  std::array<char, 512> name_ = {};
};

/// A process of this machine.
struct ProcessSlot {
  int process = 0;  // its number in the job
  std::atomic<pid_t> id = 0;
  std::atomic<bool> is_reported = false;     // nothing is to be said about its end
  std::atomic<bool> has_seen_death = false;  // of the first one of a machine: one has died there, which was said
  FileSlot file;
};

class OpenFiles {
 public:
  /// `all`: the processes of the job; `machine`: those that share the memory of this one. All of them call this.
  OpenFiles(MPI_Comm all, MPI_Comm machine);
  ~OpenFiles();
  OpenFiles(const OpenFiles&) = delete;
  OpenFiles& operator=(const OpenFiles&) = delete;

  /// What this process opens; "" for nothing.
  void set_open_file(const std::string& file) { slots_[own_]->file.set(file); }
  /// Of process 0: what it has dealt to another one; "" when it has answered.
  void deals(int process, const std::string& file) { dealt_[static_cast<size_t>(process)].set(file); }

  /// The processes of this machine, in the order of their numbers.
  const std::vector<ProcessSlot*>& of_machine() const { return slots_; }
  ProcessSlot& own() { return *slots_[own_]; }
  /// By process; empty but in process 0.
  const std::vector<FileSlot>& dealt() const { return dealt_; }

 private:
  size_t own_ = 0;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<ProcessSlot*> slots_;
  std::vector<FileSlot> dealt_;
};

}  // namespace cgpu
