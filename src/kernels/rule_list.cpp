#include "kernels/rule_list.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/regex_set.h"
#include "base/rule_lines.h"

namespace cgpu {
namespace {

KernelClass class_of(std::string_view word) {
  std::string known;
  for (int i = 0; i < kKernelClasses; ++i) {
    const auto kernel_class = static_cast<KernelClass>(i);
    if (text_of(kernel_class) == word) return kernel_class;
    known += fmt::format("{}{}", i == 0 ? "" : ", ", text_of(kernel_class));
  }
  throw Error(fmt::format("no class is named '{}'; the classes are {}", word, known));
}

}  // namespace

RuleList::Step RuleList::read_step(std::string_view line) {
  Step step{};
  const std::string_view first = take_word(line);
  if (first != "when") step.kernel_class = class_of(first);

  const std::string_view where = take_word(line);
  if (where == "head") {
    step.where = Where::head;
  } else if (where == "args") {
    step.where = Where::args;
  } else if (where == "name") {
    step.where = Where::name;
  } else {
    throw Error(fmt::format("'{}' after '{}' is not a place to search; write head, args or name", where, first));
  }

  if (line.empty()) throw Error(fmt::format("the regular expression after '{} {}' is missing", first, where));
  step.regex = std::make_unique<RE2>(piece_of(line), regex_options(false));
  if (!step.regex->ok()) throw Error(fmt::format("bad regular expression '{}': {}", line, step.regex->error()));
  return step;
}

void RuleList::append(std::string_view text, const std::string& origin) {
  const size_t before = steps_.size();
  std::vector<std::pair<size_t, int>> open;  // `when` steps not ended yet, and their lines
  int line_number = 0;
  try {
    each_rule_line(text, [&](std::string_view line, int number) {
      line_number = number;
      if (line == "end") {
        if (open.empty()) throw Error("'end' without a 'when' before it");
        steps_[open.back().first].otherwise = steps_.size();
        open.pop_back();
        return;
      }
      Step step = read_step(line);
      step.otherwise = steps_.size() + 1;
      if (!step.kernel_class) open.emplace_back(steps_.size(), line_number);
      steps_.push_back(std::move(step));
    });
    if (!open.empty()) {
      line_number = open.back().second;
      throw Error("this 'when' has no 'end'");
    }
  } catch (const Error& error) {
    steps_.resize(before);
    throw Error(origin, fmt::format("line {}: {}", line_number, error.what()));
  }
}

std::optional<KernelClass> RuleList::find(const HeadSymbol& symbol) const {
  const std::string name = symbol.head + ' ' + symbol.arguments;
  for (size_t i = 0; i < steps_.size();) {
    const Step& step = steps_[i];
    const std::string& text = step.where == Where::head   ? symbol.head
                              : step.where == Where::args ? symbol.arguments
                                                          : name;
    if (!RE2::PartialMatch(text, *step.regex)) {
      i = step.otherwise;
    } else if (step.kernel_class) {
      return step.kernel_class;
    } else {
      ++i;
    }
  }
  return std::nullopt;
}

}  // namespace cgpu
