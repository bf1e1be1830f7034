// The kernel dictionary: device function name -> class, by ordered regular expressions on the head symbol.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kernels/kernel_class.h"

namespace cgpu {

class KernelDictionary {
 public:
  /// The built-in rules (kernels/rules.txt, compiled into the binary).
  KernelDictionary();
  ~KernelDictionary();
  KernelDictionary(KernelDictionary&&) noexcept;

  /// Puts the rules of `text` before the built-in ones. Same syntax as kernels/rules.txt. `origin` is named in errors.
  /// Throws Error with the line that is wrong and why.
  void add_rules(const std::string& text, const std::string& origin);

  /// The class of a device function given its full demangled name. Thread-safe; the first match wins.
  KernelClass classify(std::string_view name) const;

 private:
  struct Rules;
  std::unique_ptr<Rules> rules_;
};

}  // namespace cgpu
