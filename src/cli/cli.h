// The command line: `cgpu VERB INPUT...`. One file a verb; this one puts them together and owns the exit codes.
#pragma once

#include <functional>

namespace cgpu {

class Exchange;

/// Runs the program. Returns the exit code: 0 success, 2 usage or input error (one line on stderr); of `check` also 1
/// (regression), 3 (inconclusive) and 4 (not comparable).
int run_command_line(int argc, char** argv);

/// Runs `cgpu-mpi`: those verbs whose ranks other processes open, too. To be called by the root
/// (session/ranks/exchange.h).
int run_shared_command_line(int argc, char** argv, Exchange& exchange);

/// Returns the exit code of work(), or, where it throws, says why and returns that of an error.
int exit_code_of(const std::function<int()>& work);

}  // namespace cgpu
