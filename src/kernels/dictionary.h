// The kernel dictionary: device function name -> class, by ordered regular expressions on the head symbol.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kernels/kernel_class.h"

namespace cgpu {

class RuleList;

class KernelDictionary {
 public:
  /// The built-in rules (kernels/rules.txt, compiled into the binary).
  KernelDictionary();
  ~KernelDictionary();
  KernelDictionary(KernelDictionary&&) noexcept;

  /// Puts the rules of `text`, in the syntax of kernels/rules.txt, before the built-in ones. Throws Error, which names
  /// `origin`, the line and what is wrong with it.
  void add_rules(const std::string& text, const std::string& origin);

  /// The class of a device function by its full demangled name: that of the first rule that matches. Thread-safe.
  KernelClass classify(std::string_view name) const;

 private:
  std::unique_ptr<RuleList> own_;  // the user's rules
};

}  // namespace cgpu
