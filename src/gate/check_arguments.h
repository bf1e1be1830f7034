// The options of `cgpu check` as text, as on the command line.
#pragma once

#include <string>
#include <vector>

namespace cgpu {

struct CheckArguments {
  std::string tolerance = "5%";
  std::string floor = "100us";
  std::vector<std::string> allow = {};  // differences: devices, shapes, iterations, clocks
  std::string inconclusive = "report";  // or "pass", "fail"
  std::string metric = "";              // of call trees; "" for the main one
};

}  // namespace cgpu
