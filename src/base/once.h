// A value that is found when it is first asked for, once, whichever of several threads asks.
#pragma once

#include <mutex>
#include <optional>

namespace cgpu {

template <typename T>
class Once {
 public:
  /// `find` makes the value if none has been made. What it throws leaves none.
  template <typename Find>
  const T& get(Find find) {
    std::call_once(flag_, [&] { value_.emplace(find()); });
    return *value_;
  }

 private:
  std::once_flag flag_;
  std::optional<T> value_;
};

}  // namespace cgpu
