// An ordered list of classification rules, as kernels/rules.txt describes them.
//
// Rules are tried in order, one RE2 search each, linear in the length of the name.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/head_symbol.h"
#include "kernels/kernel_class.h"

namespace cgpu {

class RuleList {
 public:
  /// Appends the rules of `text`. Throws Error, which names `origin` and the line, and keeps none of them then.
  void append(std::string_view text, const std::string& origin);

  std::optional<KernelClass> find(const HeadSymbol& symbol) const;

 private:
  enum class Where { head, args, name };
  /// A rule or a `when` line. Where `regex` matches, a rule answers with `kernel_class`, and a `when` line (which has
  /// none) goes on with the next step. Where it does not match, the search goes on at step `otherwise`.
  struct Step {
    Where where;
    std::unique_ptr<RE2> regex;
    std::optional<KernelClass> kernel_class;
    size_t otherwise;
  };

  static Step read_step(std::string_view line);
  std::vector<Step> steps_;
};

}  // namespace cgpu
