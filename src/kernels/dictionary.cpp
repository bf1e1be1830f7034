#include "kernels/dictionary.h"

#include "kernels/head_symbol.h"
#include "kernels/rule_list.h"

namespace cgpu {

extern const std::string_view builtin_kernel_rules;

namespace {

/// Compiled when the first name is met that the user's rules do not classify, so that commands that classify nothing do
/// not pay for them.
const RuleList& builtin_rules() {
  static const RuleList rules = [] {
    RuleList list;
    list.append(builtin_kernel_rules, "kernels/rules.txt");
    return list;
  }();
  return rules;
}

}  // namespace

KernelDictionary::KernelDictionary() : own_(std::make_unique<RuleList>()) {}
KernelDictionary::~KernelDictionary() = default;
KernelDictionary::KernelDictionary(KernelDictionary&&) noexcept = default;

void KernelDictionary::add_rules(const std::string& text, const std::string& origin) {
  own_->append(text, origin);
}

KernelClass KernelDictionary::classify(std::string_view name) const {
  const HeadSymbol symbol = split_head_symbol(name);
  if (const auto found = own_->find(symbol)) return *found;
  return builtin_rules().find(symbol).value_or(KernelClass::unknown);
}

}  // namespace cgpu
