// A value that is found when it is first asked for, once, whichever of several threads asks.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace cgpu {

template <typename T>
class Once {
 public:
  /// `find` makes the value if none has been made. What it throws leaves none.
  template <typename Find>
  const T& get(Find find) {
    std::call_once(flag_, [&] {
      value_.emplace(find());
      is_known_ = true;
    });
    return *value_;
  }
  /// The value where it has been found; else null.
  const T* known() const { return is_known_ ? &*value_ : nullptr; }

 private:
  std::once_flag flag_;
  std::optional<T> value_;
  std::atomic<bool> is_known_ = false;
};

/// A value for each key, found in the same way.
template <typename Key, typename T>
class OnceEach {
 public:
  template <typename Find>
  const T& get(const Key& key, Find find) {
    return at(key).get(std::move(find));
  }
  const T* known(const Key& key) { return at(key).known(); }

 private:
  Once<T>& at(const Key& key) {
    const std::lock_guard lock(mutex_);
    return values_[key];
  }

  std::mutex mutex_;
  std::map<Key, Once<T>> values_;
};

}  // namespace cgpu
