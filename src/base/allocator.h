// How the allocator of the C library hands memory out and takes it back. Without effect where that is not glibc's.
#pragma once

#include <cstddef>

namespace cgpu {

/// How the programs want memory to be handed out. Before anything else.
void set_up_allocator();

/// Gives back to the system what was freed, and what the allocator keeps to hand it out again: after importing a trace
/// some 10 MB. For moments at which much has been freed, and not as much will be asked for again. Takes a millisecond.
void return_freed_memory();

/// Asks for large pages for memory that nothing has been written to and that will be filled: the system takes a
/// microsecond or two a page, of whatever size.
void prefer_large_pages(void* begin, size_t bytes);

}  // namespace cgpu
