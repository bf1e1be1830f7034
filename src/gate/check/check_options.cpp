#include "gate/check/check_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>

#include "base/error.h"
#include "session/selection/selection.h"

namespace cgpu {

namespace {

/// "5%", "5 %" or "5": 0.05. A number below 1 without the sign may be meant as a share as well, and is refused.
double parse_percent(const std::string& text, const std::string& option) {
  const bool has_sign = text.ends_with('%');
  std::string number = has_sign ? text.substr(0, text.size() - 1) : text;
  if (has_sign) number.erase(number.find_last_not_of(' ') + 1);
  size_t end = 0;
  double percent = -1;
  try {
    percent = std::stod(number, &end);
  } catch (const std::exception&) {
    end = std::string::npos;
  }
  if (end != number.size() || !(percent >= 0) || percent > 1000) {
    throw Error(option + " " + text + ": a percentage was expected, like 5%");
  }
  if (!has_sign && percent > 0 && percent < 1) {
    throw Error(fmt::format("{} {}: is it a share or a percentage? Write {:.6g}% or {:.6g}%", option, text,
                            percent * 100, percent));
  }
  return percent / 100;
}

CheckOptions::Inconclusive parse_inconclusive(const std::string& text) {
  if (text == "report") return CheckOptions::Inconclusive::report;
  if (text == "pass") return CheckOptions::Inconclusive::pass;
  if (text == "fail") return CheckOptions::Inconclusive::fail;
  throw Error("--inconclusive " + text + ": is none of report, pass, fail");
}

}  // namespace

CheckOptions options_of(const CheckArguments& arguments) {
  CheckOptions options;
  options.tolerance = parse_percent(arguments.tolerance, "--tolerance");
  options.floor_ns = parse_time(arguments.floor, "--floor");
  options.allowed = {arguments.allow.begin(), arguments.allow.end()};
  for (const std::string& each : arguments.allow) {
    if (std::find(std::begin(kDifferences), std::end(kDifferences), each) == std::end(kDifferences)) {
      throw Error(fmt::format("--allow {}: is none of devices, shapes, iterations, clocks", each));
    }
  }
  options.inconclusive = parse_inconclusive(arguments.inconclusive);
  options.metric = arguments.metric;
  return options;
}

}  // namespace cgpu
