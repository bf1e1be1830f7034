#include "work.h"

#include <pthread.h>
#include <unistd.h>

namespace cgpu::python {

namespace {

constexpr auto kLongestEnd = std::chrono::seconds(10);

std::atomic<int> at_work = 0;
std::atomic<unsigned> generation = 0;
std::atomic<bool> ending = false;

/// The child has none of the threads; what they held stays held.
void after_fork_in_child() {
  if (at_work != 0) ++generation;
  at_work = 0;
}

}  // namespace

void prepare_for_forks() {
  ::pthread_atfork(nullptr, nullptr, after_fork_in_child);
}

AtWork::AtWork() {
  if (ending) throw Error("the program is ending");
  ++at_work;
}

AtWork::~AtWork() {
  --at_work;
}

WithoutGil::~WithoutGil() {
  try {
    PyEval_RestoreThread(thread_);
  } catch (...) {  // only the unwinding of pthread_exit passes here
    for (;;) ::pause();
  }
}

Forkable::Forkable() : generation_(generation) {}

void Forkable::check() const {
  if (generation_ == generation) return;
  throw Error("this process was forked while cgpu was at work in a thread: open the profile again here");
}

void end_work() {
  ending = true;
  const auto latest = std::chrono::steady_clock::now() + kLongestEnd;
  while (at_work > 0 && std::chrono::steady_clock::now() < latest) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace cgpu::python
