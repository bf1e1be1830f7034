// A column of numbers that most profiles could keep in half as many bits, or fewer: it does so until a number comes
// that does not fit.
//
// Reading and writing a number costs a branch that is always the same; the first number that does not fit costs a copy
// of the column. Not for writing while other threads read.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace cgpu {

/// Numbers of type T, kept as Narrow while they fit. `kAbsent`: the number that stands for none, which has a place
/// among the narrow ones too. `Allocator`: where the numbers lie.
template <typename T, T kAbsent, typename Narrow, template <typename> typename Allocator = std::allocator>
class NarrowColumn {
  static constexpr Narrow kNarrowAbsent =
      std::is_signed_v<Narrow> ? std::numeric_limits<Narrow>::min() : std::numeric_limits<Narrow>::max();

 public:
  using value_type = T;
  using narrow_type = Narrow;
  static constexpr T absent = kAbsent;

  /// A number that can be written to.
  class Reference {
   public:
    Reference(NarrowColumn& column, size_t place) : column_(column), place_(place) {}
    Reference(const Reference&) = default;
    operator T() const { return std::as_const(column_)[place_]; }
    Reference& operator=(T value) {
      column_.set(place_, value);
      return *this;
    }
    Reference& operator=(const Reference& other) { return *this = static_cast<T>(other); }

   private:
    NarrowColumn& column_;
    size_t place_;
  };

  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = T;

    Iterator() = default;
    Iterator(const NarrowColumn& column, size_t place)
        : column_(&column), place_(static_cast<difference_type>(place)) {}
    T operator*() const { return (*column_)[static_cast<size_t>(place_)]; }
    T operator[](difference_type by) const { return *(*this + by); }
    Iterator& operator+=(difference_type by) {
      place_ += by;
      return *this;
    }
    Iterator& operator-=(difference_type by) { return *this += -by; }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this -= 1; }
    Iterator operator++(int) { return std::exchange(*this, *this + 1); }
    Iterator operator--(int) { return std::exchange(*this, *this - 1); }
    friend Iterator operator+(Iterator at, difference_type by) { return at += by; }
    friend Iterator operator+(difference_type by, Iterator at) { return at += by; }
    friend Iterator operator-(Iterator at, difference_type by) { return at -= by; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) { return a.place_ - b.place_; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.place_ == b.place_; }
    friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.place_ <=> b.place_; }

   private:
    const NarrowColumn* column_ = nullptr;
    difference_type place_ = 0;
  };

  /// The numbers, for a loop over many: how they are kept is asked once, and a compiler need not read it again after
  /// each thing that the loop writes. Valid until the column is changed.
  class Values {
   public:
    Values() = default;  // of an empty column
    explicit Values(const NarrowColumn& column)
        : narrow_(column.is_wide_ ? nullptr : column.narrow_.data()), wide_(column.wide_.data()) {}
    T operator[](size_t place) const { return narrow_ != nullptr ? widened(narrow_[place]) : wide_[place]; }

   private:
    const Narrow* narrow_ = nullptr;  // null where they are wide
    const T* wide_ = nullptr;
  };
  Values values() const { return Values(*this); }

  size_t size() const { return is_wide_ ? wide_.size() : narrow_.size(); }
  bool empty() const { return size() == 0; }
  size_t capacity() const { return is_wide_ ? wide_.capacity() : narrow_.capacity(); }
  uint64_t bytes() const { return size() * (is_wide_ ? sizeof(T) : sizeof(Narrow)); }
  T operator[](size_t place) const { return is_wide_ ? wide_[place] : widened(narrow_[place]); }
  Reference operator[](size_t place) { return Reference(*this, place); }
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

  void push_back(T value) {
    if (!is_wide_ && !fits(value)) widen();
    is_wide_ ? wide_.push_back(value) : narrow_.push_back(narrowed(value));
  }
  void reserve(size_t rows) { is_wide_ ? wide_.reserve(rows) : narrow_.reserve(rows); }
  /// New rows are 0.
  void resize(size_t rows) { is_wide_ ? wide_.resize(rows) : narrow_.resize(rows); }
  /// Puts change(number) in the place of each number.
  template <typename Change>
  void replace_each(Change change) {
    for (size_t i = 0; i < size(); ++i) set(i, change(std::as_const(*this)[i]));
  }
  /// Moves the rows from `begin` to `end` so many places towards the end of the column.
  void move_back(size_t begin, size_t end, size_t by) {
    const auto move = [&](auto& values) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = values.begin() + static_cast<std::ptrdiff_t>(end);
      std::move_backward(first, last, last + static_cast<std::ptrdiff_t>(by));
    };
    is_wide_ ? move(wide_) : move(narrow_);
  }

  friend bool operator==(const NarrowColumn& a, const NarrowColumn& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator==(const NarrowColumn& a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  /// Whether absent needs a narrow number of its own, because it is not a narrow number itself.
  static constexpr bool kIsMarked = kAbsent != static_cast<T>(static_cast<Narrow>(kAbsent));

  static bool fits(T value) {
    const bool same = value == static_cast<T>(static_cast<Narrow>(value));
    if constexpr (!kIsMarked) return same;
    return value == kAbsent || (same && static_cast<Narrow>(value) != kNarrowAbsent);
  }
  static Narrow narrowed(T value) { return kIsMarked && value == kAbsent ? kNarrowAbsent : static_cast<Narrow>(value); }
  static T widened(Narrow value) { return kIsMarked && value == kNarrowAbsent ? kAbsent : static_cast<T>(value); }

  void set(size_t place, T value) {
    if (!is_wide_ && !fits(value)) widen();
    if (is_wide_) {
      wide_[place] = value;
    } else {
      narrow_[place] = narrowed(value);
    }
  }
  void widen() {
    wide_.reserve(narrow_.capacity());
    for (const Narrow value : narrow_) wide_.push_back(widened(value));
    decltype(narrow_)().swap(narrow_);  // assigned to, it would keep its memory
    is_wide_ = true;
  }

  bool is_wide_ = false;
  std::vector<Narrow, Allocator<Narrow>> narrow_;
  std::vector<T, Allocator<T>> wide_;
};

}  // namespace cgpu
