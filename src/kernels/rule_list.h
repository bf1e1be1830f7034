// An ordered list of classification rules, as kernels/rules.txt describes them.
//
// Finding a class costs one RE2 search a rule until one matches: linear in the length of the name.
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
  /// Reads the rules of `text` behind those already there. Throws Error, naming `origin` and the line, and then keeps
  /// none of them.
  void append(std::string_view text, const std::string& origin);

  std::optional<KernelClass> find(const HeadSymbol& symbol) const;

 private:
  enum class Where { head, args, name };
  /// A rule, or a `when` line. Where `regex` does not match, the search goes on at `otherwise`; where it matches, the
  /// answer is `kernel_class`, or for `when` (which has none) the search goes on with the next step.
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
