// How the module works for Python: without the GIL, on a thread of its own, so that Ctrl-C ends a call at once; and
// what a fork leaves of it.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/error.h"

namespace cgpu::python {

/// Once, before all else.
void prepare_for_forks();

/// While it lives, this process is at work on what Python has of cgpu.
class AtWork {
 public:
  /// Throws Error where the program is ending (end_work).
  AtWork();
  ~AtWork();
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;
};

/// While it lives, this thread does not hold the GIL. Where Python has ended meanwhile, the thread stays here for good:
/// CPython before 3.14 would end it by unwinding its stack (pthread_exit in PyEval_RestoreThread), through frames that
/// must not be unwound.
class WithoutGil {
 public:
  WithoutGil() noexcept : thread_(PyEval_SaveThread()) {}
  ~WithoutGil();
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* thread_;
};

/// Something that a process made with cgpu. A fork copies it; where another thread was at work meanwhile, the copy may
/// be half done and locked for good.
class Forkable {
 public:
  Forkable();
  /// Throws Error in a process that was forked while there was work.
  void check() const;

 private:
  unsigned generation_;
};

/// Whether the caller no longer waits for the result.
using Stopped = std::shared_ptr<std::atomic<bool>>;

/// Thrown by work that has noticed that it was stopped; caught before it reaches a caller.
struct Stop {};

/// For the end of the program: begins no more work, and waits for that which goes on, so that it does not lose what it
/// depends on. Up to ten seconds: it may be waiting for input that never comes.
void end_work();

/// What task(stopped) returns, which is computed without the GIL. With the GIL held. A signal whose handler raises,
/// such as Ctrl-C, ends the wait, and so does what `meanwhile` throws, which is called now and then with the GIL: what
/// the task has must therefore be its own. Throws Error for all that goes wrong but for memory.
template <typename Task, typename Meanwhile>
auto work(Task task, Meanwhile meanwhile) {
  using Result = std::invoke_result_t<Task&, const Stopped&>;
  constexpr auto kBetweenSignals = std::chrono::milliseconds(50);
  const auto stopped = std::make_shared<std::atomic<bool>>(false);
  std::packaged_task<Result()> packaged(
      [at_work = std::make_unique<AtWork>(), task = std::move(task), stopped]() mutable {
        const auto until_done = std::move(at_work);
        Task own = std::move(task);  // ends with the work, also where somebody still holds the result
        return own(stopped);
      });
  std::future<Result> result = packaged.get_future();
  {
    std::thread worker;
    try {
      const WithoutGil without_gil;
      worker = std::thread(std::move(packaged));
    } catch (const std::system_error&) {
      throw Error("no thread can be started: the limit of processes or of memory has been reached");
    }
    for (bool done = false; !done;) {
      {
        const WithoutGil without_gil;
        done = result.wait_for(kBetweenSignals) == std::future_status::ready;
        if (done) worker.join();
      }
      if (done) break;
      try {
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
        meanwhile();
      } catch (...) {
        *stopped = true;
        worker.detach();
        throw;
      }
    }
  }
  try {
    return result.get();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(error.what());
  }
}

template <typename Task>
auto work(Task task) {
  return work(std::move(task), [] {});
}

}  // namespace cgpu::python
