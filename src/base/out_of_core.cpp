#include "base/out_of_core.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/file.h"

namespace cgpu {

namespace {

constexpr size_t kSmallest = 64;                // of a block in the file
constexpr size_t kLargest = size_t{1} << 20;    // of one that shares a mapping with others
constexpr size_t kTogether = size_t{32} << 20;  // bytes of such a mapping
constexpr auto kBetweenLooks = std::chrono::milliseconds(5);
constexpr auto kAtOnce = std::chrono::milliseconds(10);

size_t whole_pages(size_t bytes) {
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

/// Bytes of files and shared memory that count as memory of this process.
size_t resident_file_bytes() {
  size_t pages = 0;
  if (std::FILE* const file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%*s %*s %zu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

/// Blocks in a temporary file. Not for several threads at once.
class FileBlocks {
 public:
  /// Null where there is no room.
  void* allocate(size_t bytes) {
    if (is_of_parent_) return nullptr;
    if (bytes > kLargest) return map(whole_pages(bytes));
    const size_t size = std::bit_ceil(std::max(bytes, kSmallest));
    std::vector<void*>& free = free_[size];
    if (free.empty() && !share(size)) return nullptr;
    void* const block = free.back();
    free.pop_back();
    return block;
  }

  /// Whether it was one of these.
  bool deallocate(void* block, size_t bytes) {
    auto found = mappings_.upper_bound(static_cast<char*>(block));
    if (found == mappings_.begin()) return false;
    --found;
    if (static_cast<char*>(block) >= found->first + found->second.bytes) return false;
    if (is_of_parent_) return true;
    if (bytes <= kLargest) {
      free_[std::bit_ceil(std::max(bytes, kSmallest))].push_back(block);
    } else {
      ::munmap(found->first, found->second.bytes);
#ifdef FALLOC_FL_PUNCH_HOLE
      ::fallocate(descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, found->second.place,
                  static_cast<off_t>(found->second.bytes));
#endif
      mappings_.erase(found);
    }
    return true;
  }

  /// In a forked child, which shares the file with its parent.
  void leave_to_parent() {
    is_of_parent_ = file_.has_value();
  }

  /// The pages stay in the file, and come back when they are looked at.
  void drop_pages() {
    for (const auto& [begin, mapping] : mappings_) ::madvise(begin, mapping.bytes, MADV_DONTNEED);
  }

 private:
  struct Mapping {
    size_t bytes = 0;
    off_t place = 0;  // in the file
  };

  int descriptor() const {
    return file_->descriptor();
  }

  void* map(size_t bytes) {
    if (!file_) {
      try {
        const std::string name = "memory";
        file_.emplace(make_nameless_file(name), name);
      } catch (const Error&) {
        return nullptr;
      }
    }
    const auto size = static_cast<off_t>(bytes);
    // Room is taken now: writing to a page for which there is none ends a program.
    if (::posix_fallocate(descriptor(), end_, size) != 0) return nullptr;
    void* const begin = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor(), end_);
    if (begin == MAP_FAILED) return nullptr;
    mappings_.emplace(static_cast<char*>(begin), Mapping{bytes, end_});
    end_ += size;
    return begin;
  }

  /// Makes free blocks of a size.
  bool share(size_t size) {
    if (left_ < size) {
      shared_ = static_cast<char*>(map(kTogether));
      left_ = shared_ == nullptr ? 0 : kTogether;
      if (left_ == 0) return false;
    }
    free_[size].push_back(shared_);
    shared_ += size;
    left_ -= size;
    return true;
  }

  std::optional<File> file_;
  off_t end_ = 0;
  std::map<char*, Mapping> mappings_;          // by where they begin
  std::map<size_t, std::vector<void*>> free_;  // by their size, a power of two
  char* shared_ = nullptr;                     // what is left of the newest mapping of several blocks
  size_t left_ = 0;
  bool is_of_parent_ = false;
};

class Memory {
 public:
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }
  /// With the lock held, which the thread that forked has taken.
  void go_on_in_child() {
    file_.leave_to_parent();
    mutex_.unlock();
  }

  void* allocate(size_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      if (use_.in_memory + bytes > in_memory_bytes_) {
        if (void* const block = file_.allocate(bytes)) {
          use_.in_file += bytes;
          if (!is_watched_) std::thread([this] { watch(); }).detach();
          is_watched_ = true;
          return block;
        }
      }
    }
    void* const block = ::operator new(bytes);
    const std::lock_guard lock(mutex_);
    use_.in_memory += bytes;
    return block;
  }

  void deallocate(void* block, size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (file_.deallocate(block, bytes)) {
      use_.in_file -= bytes;
      return;
    }
    use_.in_memory -= bytes;
    ::operator delete(block);
  }

  OutOfCoreMemory::Use use() {
    const std::lock_guard lock(mutex_);
    return use_;
  }

  void set_in_memory_bytes(size_t bytes) {
    const std::lock_guard lock(mutex_);
    in_memory_bytes_ = bytes;
  }

 private:
  /// Lets go of the pages whenever too many of them count as memory of the process. Where as many come back at once
  /// they are what the program works on, and twice as many may stay. What else is mapped is the program itself: what it
  /// has opened by now, it will hardly map more of.
  void watch() {
    size_t others = resident_file_bytes();
    size_t most = OutOfCoreMemory::kResidentBytes;
    auto last_drop = std::chrono::steady_clock::now() - kAtOnce;
    while (true) {
      std::this_thread::sleep_for(kBetweenLooks);
      const size_t resident = resident_file_bytes();
      others = std::min(others, resident);
      if (resident - others <= most) continue;
      const auto now = std::chrono::steady_clock::now();
      if (now - last_drop < kAtOnce) most *= 2;
      last_drop = now;
      const std::lock_guard lock(mutex_);
      file_.drop_pages();
    }
  }

  std::mutex mutex_;  // of what follows
  FileBlocks file_;
  OutOfCoreMemory::Use use_;
  size_t in_memory_bytes_ = OutOfCoreMemory::kInMemoryBytes;
  bool is_watched_ = false;
};

/// Never destroyed: columns of objects that are never destroyed either may be in it.
Memory& memory() {
  static Memory* const memory = [] {
    Memory* const made = new Memory;
    ::pthread_atfork([] { cgpu::memory().lock(); }, [] { cgpu::memory().unlock(); },
                     [] { cgpu::memory().go_on_in_child(); });
    return made;
  }();
  return *memory;
}

}  // namespace

void* OutOfCoreMemory::allocate(size_t bytes) {
  return memory().allocate(bytes);
}

void OutOfCoreMemory::deallocate(void* block, size_t bytes) noexcept {
  memory().deallocate(block, bytes);
}

OutOfCoreMemory::Use OutOfCoreMemory::use() {
  return memory().use();
}

void OutOfCoreMemory::set_in_memory_bytes(size_t bytes) {
  memory().set_in_memory_bytes(bytes);
}

}  // namespace cgpu
