// The command line: `cgpu VERB INPUT...`. One file a verb; this one puts them together and owns the exit codes.
#pragma once

namespace cgpu {

/// Runs the program. Returns the exit code: 0 success, 2 usage or input error (one line on stderr); of `check` also 1
/// (regression), 3 (inconclusive) and 4 (not comparable).
int run_command_line(int argc, char** argv);

}  // namespace cgpu
