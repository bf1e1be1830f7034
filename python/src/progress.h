// What an opening says of itself meanwhile, from its own thread to the one of Python that waits for it.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <optional>

#include "session/opening_progress.h"

namespace cgpu::python {

/// Passed on to a callable of Python, callable(phase, share), which the waiting thread calls. Any thread may tell.
class ToldProgress {
 public:
  /// `callable` may be None: then nothing is passed on.
  explicit ToldProgress(nanobind::object callable);
  /// For the work, which must not hold anything of Python.
  OpeningProgress teller() const;
  /// Tells the callable what is new since the last call. With the GIL held. Throws what the callable raises.
  void pass_on();

 private:
  struct Told {
    std::mutex mutex;
    OpeningPhase phase = OpeningPhase::reading;
    double share = 0;
    bool is_new = false;
  };

  nanobind::object callable_;
  std::shared_ptr<Told> told_ = std::make_shared<Told>();
};

}  // namespace cgpu::python
