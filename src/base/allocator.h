// How the allocator of the C library hands memory out and takes it back. Without effect where that is not glibc's.
#pragma once

namespace cgpu {

/// How the programs want memory to be handed out. Before anything else.
void set_up_allocator();

/// Gives back to the system what was freed, and what the allocator keeps to hand it out again: after importing a trace
/// some 10 MB. For moments at which much has been freed, and not as much will be asked for again. Takes a millisecond.
void return_freed_memory();

}  // namespace cgpu
