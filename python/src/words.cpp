#include "words.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "analysis/analysis.h"

namespace cgpu::python {

namespace {

constexpr std::string_view kList = "cgpu table --list";

/// The options of the program that are arguments of functions here, without their dashes.
const std::set<std::string>& arguments() {
  static const std::set<std::string> known = [] {
    std::set<std::string> names = {"where",         "sort",   "top",          "from",         "to",           "step",
                                   "rank",          "device", "profile",      "kernel-rules", "device-model", "peak",
                                   "capture",       "strict", "input-format", "threads",      "tolerance",    "floor",
                                   "allow",         "metric", "inconclusive", "timeout",      "against",      "by",
                                   "allow-missing", "at"};
    for (const Analysis& analysis : all_analyses()) {
      for (const TableOption& option : analysis.options) names.insert(option.name);
    }
    return names;
  }();
  return known;
}

std::string argument_of(std::string name) {
  if (name == "from") return "from_";
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace

std::string in_words_of_python(const std::string& message) {
  std::string words;
  bool is_command = false;  // between backquotes
  for (size_t at = 0; at < message.size();) {
    if (message.compare(at, kList.size(), kList) == 0 && message.compare(at + kList.size(), 2, " -") != 0) {
      words += "cgpu.tables()";
      at += kList.size();
      continue;
    }
    const bool begins = at == 0 || std::isalnum(static_cast<unsigned char>(message[at - 1])) == 0;
    if (!is_command && begins && message.compare(at, 2, "--") == 0) {
      size_t end = at + 2;
      while (end < message.size() &&
             (std::islower(static_cast<unsigned char>(message[end])) != 0 || message[end] == '-'))
        ++end;
      const std::string name = message.substr(at + 2, end - at - 2);
      if (arguments().contains(name) || words.ends_with("has no option ")) {
        words += argument_of(name);
        at = end;
        if (words.size() == argument_of(name).size() && message.compare(at, 1, " ") == 0) {  // and its value
          words += '=';
          ++at;
        }
        continue;
      }
    }
    is_command = is_command != (message[at] == '`');
    words += message[at++];
  }
  return words;
}

}  // namespace cgpu::python
