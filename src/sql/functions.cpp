#include "sql/functions.h"

#include <re2/re2.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/demangle.h"
#include "base/error.h"
#include "base/interval_set.h"

namespace cgpu {

namespace {

/// Calls `work`; what it throws becomes the error of the function.
template <typename Work>
void as_result(sqlite3_context* context, Work work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  } catch (const std::exception& error) {
    sqlite3_result_error(context, error.what(), -1);
  }
}

std::string_view text_value(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text == nullptr ? std::string_view() : std::string_view(text, static_cast<size_t>(sqlite3_value_bytes(value)));
}

bool is_null(sqlite3_value* value) {
  return sqlite3_value_type(value) == SQLITE_NULL;
}

/// Throws Error for what is no number.
double number_of(sqlite3_value* value, const char* function) {
  const int type = sqlite3_value_numeric_type(value);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) throw Error(std::string(function) + ": takes numbers");
  return sqlite3_value_double(value);
}

/// Throws Error for what is no integer.
int64_t time_of(sqlite3_value* value, const char* function) {
  if (sqlite3_value_numeric_type(value) != SQLITE_INTEGER) {
    throw Error(std::string(function) + ": takes whole numbers, like start_ns and start_ns + duration_ns");
  }
  return sqlite3_value_int64(value);
}

/// An aggregate whose State has add(values), which may throw, and give(context).
template <typename State>
void add_aggregate(sqlite3* database, const char* name, int values) {
  const auto step = [](sqlite3_context* context, int, sqlite3_value** given) {
    as_result(context, [&] {
      auto** state = static_cast<State**>(sqlite3_aggregate_context(context, sizeof(State*)));
      if (state == nullptr) throw std::bad_alloc();
      if (*state == nullptr) *state = new State;
      (*state)->add(given);
    });
  };
  const auto finish = [](sqlite3_context* context) {
    as_result(context, [&] {
      auto** state = static_cast<State**>(sqlite3_aggregate_context(context, 0));
      const std::unique_ptr<State> owned(state == nullptr || *state == nullptr ? new State
                                                                               : std::exchange(*state, nullptr));
      owned->give(context);
    });
  };
  sqlite3_create_function_v2(database, name, values, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, nullptr, step, finish,
                             nullptr);
}

/// Keeps a value of an aggregate. Throws Error where they would need more than 1 GiB.
template <typename Value>
void keep(std::vector<Value>& values, const Value& value) {
  constexpr size_t kMostBytes = size_t{1} << 30;
  if (values.size() >= kMostBytes / sizeof(Value))
    throw Error("an aggregate of too many values: group by more, or take fewer rows");
  values.push_back(value);
}

using Function = void (*)(sqlite3_context*, int, sqlite3_value**);

void add_function(sqlite3* database, const char* name, int values, Function function, void* data = nullptr,
                  void (*release)(void*) = nullptr) {
  sqlite3_create_function_v2(database, name, values, SQLITE_UTF8 | SQLITE_DETERMINISTIC, data, function, nullptr,
                             nullptr, release);
}

class SpanUnion {
 public:
  void add(sqlite3_value** values) {
    if (is_null(values[0]) || is_null(values[1])) return;
    const int64_t begin = time_of(values[0], "span_union");
    const int64_t end = time_of(values[1], "span_union");
    if (begin < end) keep(intervals_, {begin, end});
  }
  void give(sqlite3_context* context) { sqlite3_result_int64(context, IntervalSet(std::move(intervals_)).length()); }

 private:
  std::vector<Interval> intervals_;
};

/// The value at position share (n - 1) of the values, interpolated linearly between neighbours.
double quantile(std::vector<double>& values, double share) {
  const double position = share * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(position);
  std::nth_element(values.begin(), below, values.end());
  const double part = position - std::floor(position);
  if (part == 0) return *below;
  return *below + part * (*std::min_element(below + 1, values.end()) - *below);
}

class Samples {
 public:
  void give(sqlite3_context* context) {
    if (!values_.empty()) sqlite3_result_double(context, quantile(values_, share_));
  }

 protected:
  void add_value(sqlite3_value* value, const char* function) {
    if (!is_null(value)) keep(values_, number_of(value, function));
  }
  std::vector<double> values_;
  double share_ = 0.5;
};

class Median : public Samples {
 public:
  void add(sqlite3_value** values) { add_value(values[0], "median"); }
};

class Percentile : public Samples {
 public:
  void add(sqlite3_value** values) {
    const double percent = number_of(values[1], "percentile");
    if (!(percent >= 0 && percent <= 100)) throw Error("percentile: the second value is a percentage, 0 to 100");
    share_ = percent / 100;
    add_value(values[0], "percentile");
  }
};

class Deviation : public Samples {
 public:
  void add(sqlite3_value** values) { add_value(values[0], "stddev"); }
  void give(sqlite3_context* context) const {
    if (values_.empty()) return;
    const auto count = static_cast<double>(values_.size());
    const double mean = std::accumulate(values_.begin(), values_.end(), 0.0) / count;
    double squares = 0;
    for (const double value : values_) squares += (value - mean) * (value - mean);
    sqlite3_result_double(context, values_.size() < 2 ? 0 : std::sqrt(squares / (count - 1)));
  }
};

void overlap(sqlite3_context* context, int, sqlite3_value** values) {
  as_result(context, [&] {
    if (std::any_of(values, values + 4, is_null)) return;
    const auto at = [&](int i) { return time_of(values[i], "overlap"); };
    const int64_t begin = std::max(at(0), at(2));
    const int64_t end = std::min(at(1), at(3));
    sqlite3_result_int64(context, begin < end ? end - begin : 0);
  });
}

/// A function of a name is asked again and again for the same names.
struct KnownClasses {
  const KernelDictionary& dictionary;
  std::unordered_map<std::string, KernelClass> classes = {};
};

void class_of_name(sqlite3_context* context, int, sqlite3_value** values) {
  as_result(context, [&] {
    if (is_null(values[0])) return;
    auto& known = *static_cast<KnownClasses*>(sqlite3_user_data(context));
    const auto [found, is_new] = known.classes.try_emplace(std::string(text_value(values[0])), KernelClass::unknown);
    if (is_new) found->second = known.dictionary.classify(found->first);
    const std::string_view text = text_of(found->second);
    sqlite3_result_text64(context, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  });
}

void demangle_name(sqlite3_context* context, int, sqlite3_value** values) {
  as_result(context, [&] {
    if (is_null(values[0])) return;
    const std::string text = demangle(text_value(values[0]));
    sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  });
}

/// text REGEXP pattern is regexp(pattern, text). A pattern that does not change is compiled once.
void regexp(sqlite3_context* context, int, sqlite3_value** values) {
  as_result(context, [&] {
    if (is_null(values[0]) || is_null(values[1])) return;
    auto* pattern = static_cast<re2::RE2*>(sqlite3_get_auxdata(context, 0));
    std::unique_ptr<re2::RE2> made;
    if (pattern == nullptr) {
      const std::string_view text = text_value(values[0]);
      made = std::make_unique<re2::RE2>(re2::StringPiece(text.data(), text.size()), re2::RE2::Quiet);
      if (!made->ok()) throw Error("regexp: " + made->error());
      pattern = made.get();
    }
    const std::string_view text = text_value(values[1]);
    sqlite3_result_int(context, re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *pattern) ? 1 : 0);
    if (made) {
      sqlite3_set_auxdata(context, 0, made.release(), [](void* kept) { delete static_cast<re2::RE2*>(kept); });
    }
  });
}

}  // namespace

void add_functions(sqlite3* database, const KernelDictionary& dictionary) {
  add_aggregate<SpanUnion>(database, "span_union", 2);
  add_aggregate<Percentile>(database, "percentile", 2);
  add_aggregate<Median>(database, "median", 1);
  add_aggregate<Deviation>(database, "stddev", 1);
  add_function(database, "overlap", 4, overlap);
  add_function(database, "class", 1, class_of_name, new KnownClasses{dictionary},
               [](void* known) { delete static_cast<KnownClasses*>(known); });
  add_function(database, "demangle", 1, demangle_name);
  add_function(database, "regexp", 2, regexp);
}

}  // namespace cgpu
