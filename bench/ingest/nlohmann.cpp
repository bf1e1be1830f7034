// Competitor: nlohmann's JSON, the document as a tree.
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "totals.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1]);
  const auto document = nlohmann::json::parse(file);
  Totals totals;
  for (const auto& event : document["traceEvents"]) {
    if (event.value("ph", "") != "X") continue;
    const auto args = event.find("args");
    const int64_t correlation = args == event.end() ? 0 : args->value("correlation", int64_t{0});
    totals += {1, std::llround(event["dur"].get<double>() * 1000), correlation};
  }
  totals.print();
}
