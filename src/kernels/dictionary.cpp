#include "kernels/dictionary.h"

#include <mutex>

#include "kernels/builtin_rules.h"
#include "kernels/head_symbol.h"
#include "kernels/rule_list.h"

namespace cgpu {

/// The built-in rules are compiled when the first name is met that the user's rules do not classify, so that commands
/// that classify nothing do not pay for them.
struct KernelDictionary::Rules {
  RuleList user;
  RuleList builtin;
  std::once_flag builtin_ready;
};

KernelDictionary::KernelDictionary() : rules_(std::make_unique<Rules>()) {}
KernelDictionary::~KernelDictionary() = default;
KernelDictionary::KernelDictionary(KernelDictionary&&) noexcept = default;

void KernelDictionary::add_rules(const std::string& text, const std::string& origin) {
  rules_->user.append(text, origin);
}

KernelClass KernelDictionary::classify(std::string_view name) const {
  const HeadSymbol symbol = split_head_symbol(name);
  if (const auto found = rules_->user.find(symbol)) return *found;
  std::call_once(rules_->builtin_ready, [&] { rules_->builtin.append(builtin_kernel_rules, "kernels/rules.txt"); });
  return rules_->builtin.find(symbol).value_or(KernelClass::unknown);
}

}  // namespace cgpu
