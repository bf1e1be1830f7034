#include "base/allocator.h"

#include <cstdint>
#include <cstdlib>  // defines __GLIBC__
#include <mutex>
#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#endif

namespace cgpu {

void set_up_allocator() {
#ifdef __GLIBC__
  // Left to itself the allocator keeps columns of up to 32 MB that have been outgrown: a tenth of the memory of a run.
  // Tables that come and go are better kept.
  mallopt(M_MMAP_THRESHOLD, 2 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

void return_freed_memory() {
#ifdef __GLIBC__
  // Where another allocator hands memory out (jemalloc, a sanitizer's), glibc's starts here, and that is not made for
  // two threads at once.
  static std::mutex starting;
  const std::lock_guard lock(starting);
  malloc_trim(0);
#endif
}

void prefer_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr uintptr_t kPage = 1 << 16;  // that of any machine, or a multiple of it
  const uintptr_t first = (reinterpret_cast<uintptr_t>(begin) + kPage - 1) & ~(kPage - 1);
  const uintptr_t end = (reinterpret_cast<uintptr_t>(begin) + bytes) & ~(kPage - 1);
  if (first < end) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#endif
}

}  // namespace cgpu
