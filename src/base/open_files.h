// How many files the program may have open at once.
#pragma once

namespace cgpu {

/// Raises what this process may have open to what it may ask for: a profile of a job is a file a rank, and the usual
/// limit is 1,024. Before threads are started.
void allow_many_open_files();

}  // namespace cgpu
