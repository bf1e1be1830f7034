#include "mpi/open_files.h"

#include <unistd.h>

#include <algorithm>
#include <new>

namespace cgpu {

void FileSlot::set(const std::string& file) {
  const size_t most = name_.size() - 1;
  const size_t from = file.size() > most ? file.size() - most : 0;
  name_.front() = '\0';
  std::fill(std::copy(file.begin() + static_cast<std::ptrdiff_t>(from), file.end(), name_.begin()), name_.end(), '\0');
}

OpenFiles::OpenFiles(MPI_Comm all, MPI_Comm machine) {
  int processes = 0;
  int on_machine = 0;
  int process = 0;
  int own = 0;
  MPI_Comm_size(all, &processes);
  MPI_Comm_rank(all, &process);
  MPI_Comm_size(machine, &on_machine);
  MPI_Comm_rank(machine, &own);
  own_ = static_cast<size_t>(own);
  void* memory = nullptr;
  MPI_Win_allocate_shared(sizeof(ProcessSlot), 1, MPI_INFO_NULL, machine, static_cast<void*>(&memory), &window_);
  auto* slot = new (memory) ProcessSlot();
  slot->process = process;
  slot->id = getpid();
  for (int i = 0; i < on_machine; ++i) {
    MPI_Aint size = 0;
    int unit = 0;
    void* of_process = nullptr;
    MPI_Win_shared_query(window_, i, &size, &unit, static_cast<void*>(&of_process));
    slots_.push_back(static_cast<ProcessSlot*>(of_process));
  }
  if (process == 0) dealt_.resize(static_cast<size_t>(processes));
  MPI_Barrier(machine);  // all slots are written
}

OpenFiles::~OpenFiles() {
  MPI_Win_free(&window_);
}

}  // namespace cgpu
