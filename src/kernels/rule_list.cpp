#include "kernels/rule_list.h"

#include <fmt/format.h>

#include "base/error.h"

namespace cgpu {
namespace {

constexpr std::string_view kSpace = " \t\r";

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// Takes the first word off `text`.
std::string_view next_word(std::string_view& text) {
  const size_t end = std::min(text.find_first_of(kSpace), text.size());
  const std::string_view word = text.substr(0, end);
  text = trim(text.substr(end));
  return word;
}

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
  const std::string_view first = next_word(line);
  if (first != "when") step.kernel_class = class_of(first);

  const std::string_view where = next_word(line);
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
  RE2::Options options(RE2::Latin1);  // names may hold any bytes
  options.set_case_sensitive(false);
  options.set_log_errors(false);
  step.regex = std::make_unique<RE2>(re2::StringPiece(line.data(), line.size()), options);
  if (!step.regex->ok()) throw Error(fmt::format("bad regular expression '{}': {}", line, step.regex->error()));
  return step;
}

void RuleList::append(std::string_view text, const std::string& origin) {
  const size_t before = steps_.size();
  std::vector<std::pair<size_t, int>> open;  // `when` steps not ended yet, and their lines
  int line_number = 0;
  try {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = trim(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      ++line_number;
      if (line.empty() || line.front() == '#') continue;
      if (line == "end") {
        if (open.empty()) throw Error("'end' without a 'when' before it");
        steps_[open.back().first].otherwise = steps_.size();
        open.pop_back();
        continue;
      }
      Step step = read_step(line);
      step.otherwise = steps_.size() + 1;
      if (!step.kernel_class) open.emplace_back(steps_.size(), line_number);
      steps_.push_back(std::move(step));
    }
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
