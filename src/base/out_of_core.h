// Memory for columns that may become larger than that of the machine: ordinary memory while all of them together take
// little, pages of a temporary file from then on.
//
// The file has no name, lies in TMPDIR (base/file.h), and vanishes with the process. Its pages are the system's to
// write out when it wants memory for something else; of those that this process has looked at, no more than
// kResidentBytes count as its own for long, because a thread lets go of them (they stay in the cache of the system
// while there is room for them). Columns that are passed through in order cost what reading and writing a file does.
// Where no file can be made, or the disk is full, it is ordinary memory after all. TMPDIR in memory (tmpfs) saves
// nothing. A forked child reads what is in the file, and puts nothing there: it is its parent's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace cgpu {

/// One for the process; columns have it through OutOfCoreAllocator. For several threads at once.
class OutOfCoreMemory {
 public:
  /// What all columns together take of ordinary memory at most.
  static constexpr size_t kInMemoryBytes = size_t{64} << 20;
  /// What may count as memory of the process besides before pages are released; more where it works on more at a time.
  static constexpr size_t kResidentBytes = size_t{32} << 20;

  /// Aligned for any type. Throws std::bad_alloc.
  static void* allocate(size_t bytes);
  static void deallocate(void* memory, size_t bytes) noexcept;

  /// Bytes that are in use now, in ordinary memory and in the file.
  struct Use {
    size_t in_memory = 0;
    size_t in_file = 0;
  };
  static Use use();
  /// As kInMemoryBytes from now on: for tests of what happens beyond it.
  static void set_in_memory_bytes(size_t bytes);
};

/// For containers of the standard library.
template <typename T>
class OutOfCoreAllocator {
 public:
  using value_type = T;

  OutOfCoreAllocator() = default;
  template <typename Other>
  OutOfCoreAllocator(const OutOfCoreAllocator<Other>&) {}

  T* allocate(size_t count) {
    if (count > SIZE_MAX / 2 / sizeof(T)) throw std::bad_alloc();
    return static_cast<T*>(OutOfCoreMemory::allocate(count * sizeof(T)));
  }
  void deallocate(T* memory, size_t count) noexcept { OutOfCoreMemory::deallocate(memory, count * sizeof(T)); }

  friend bool operator==(const OutOfCoreAllocator&, const OutOfCoreAllocator&) { return true; }
};

template <typename T>
using OutOfCoreVector = std::vector<T, OutOfCoreAllocator<T>>;

}  // namespace cgpu
