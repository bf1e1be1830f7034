// `cgpu-mpi`: the processes of an MPI job open the ranks of a profile together. Process 0 is what `cgpu` is; the others
// open what it deals to them (session/ranks/rank_worker.h), and print nothing.
#pragma once

namespace cgpu {

/// Runs the program. Returns the exit code of this process: that of `cgpu` (cli/cli.h) on process 0, else 0. Ends the
/// job where a process cannot go on.
int run_mpi_program(int argc, char** argv);

}  // namespace cgpu
