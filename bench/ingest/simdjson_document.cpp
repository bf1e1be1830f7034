// Competitor: simdjson on-demand over the whole file as one document, extracting only.
#include "simdjson_events.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto text = simdjson::padded_string::load(argv[1]).value();
  simdjson::ondemand::parser parser;
  auto document = parser.iterate(text);
  Extracted result;
  extract_events(document["traceEvents"].get_array(), result);
  result.totals.print();
}
