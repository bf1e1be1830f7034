// /api/p/P/sources and /api/p/P/source: the program's source that the profile carries, and what its lines cost. A file
// is asked for by its number in the list that the reader made; no name comes from a request.
#include <algorithm>

#include "analysis/call_tree/call_tree_metrics.h"
#include "base/credentials.h"
#include "base/error.h"
#include "base/json_text.h"
#include "serve/endpoints/endpoints.h"
#include "serve/http/parameters.h"
#include "serve/line_costs.h"

namespace cgpu {

namespace {

constexpr size_t kLongestText = size_t{1} << 20;

const Run& run_of_rank(const Session& session, int64_t rank) {
  const auto run = std::find_if(session.runs.begin(), session.runs.end(), [&](const Run& r) { return r.rank == rank; });
  if (run == session.runs.end()) throw RequestError(kNotFound, "there is no such rank");
  return *run;
}

void write_file(JsonTextWriter& json, const Run& run, size_t number) {
  const SourceFile& file = run.sources->files()[number];
  json.member("rank", run.rank)
      .member("file", number)
      .member("name", file.name)
      .member("stored", file.stored)
      .member("bytes", file.bytes);
}

/// The beginning of a file, of a longer one whole lines where that is possible.
std::string beginning_of(const SourceFiles& sources, size_t number) {
  std::string text;
  try {
    text = sources.text(number, kLongestText);
  } catch (const Error& error) {
    throw RequestError(kNotFound, error.what());
  }
  if (text.size() == kLongestText && text.find('\n') != std::string::npos) text.resize(text.rfind('\n') + 1);
  return text;
}

void write_lines(JsonTextWriter& json, const Session& session, const Run& run, const std::string& wanted,
                 const std::string& file) {
  TableOptions options;
  if (!wanted.empty()) options.set("metric", {wanted});
  std::optional<ShownMetric> metric;
  try {
    metric = one_metric(stored_trees(session), options);
  } catch (const Error& error) {
    throw RequestError(kBadRequest, error.what());
  }
  if (!metric || !run.call_tree) return;
  const CallTree& tree = *run.call_tree;
  const std::optional<MetricIndex> index = metric->in(tree);
  if (!index) return;
  const std::vector<LineCost> costs = line_costs(tree, *index, tree.names.find(file));
  const auto column = [&](const char* name, auto value_of) {
    json.key(name).begin_array();
    for (const LineCost& cost : costs) json.value(value_of(cost));
    json.end_array();
  };
  json.member("metric", metric->name).member("unit", metric->unit).key("total");
  json.value(inclusive_value(tree, *index, 0)).key("lines").begin_object();
  column("line", [](const LineCost& cost) { return cost.line; });
  column("inclusive", [](const LineCost& cost) { return cost.inclusive; });
  column("exclusive", [](const LineCost& cost) { return cost.exclusive; });
  json.end_object();
}

}  // namespace

Answer answer_sources(const Profile& profile, const Request& request) {
  const Parameters none(request, {});
  JsonTextWriter json;
  json.begin_array();
  for (const Run& run : profile.session().runs) {
    for (size_t number = 0; run.sources && number < run.sources->files().size(); ++number) {
      json.begin_object();
      write_file(json, run, number);
      json.end_object();
    }
  }
  json.end_array();
  return json_answer(std::move(json).text());
}

Answer answer_source(const Profile& profile, const Request& request) {
  const Parameters parameters(request, {"rank", "file", "metric"});
  const Run& run = run_of_rank(profile.session(), parameters.required_integer("rank", INT64_MIN, INT64_MAX));
  const auto number = static_cast<size_t>(parameters.required_integer("file", 0, UINT32_MAX));
  if (!run.sources || number >= run.sources->files().size()) {
    throw RequestError(kNotFound, "there is no such source file");
  }
  const std::string bytes = beginning_of(*run.sources, number);
  std::string text = valid_utf8(bytes);
  const bool repaired = text != bytes;
  if (std::string shown; hide_secrets_in_code(text, shown) != 0) text = shown;
  JsonTextWriter json;
  json.begin_object();
  write_file(json, run, number);
  json.member("shown_bytes", bytes.size()).member("repaired", repaired).member("text", text);
  write_lines(json, profile.session(), run, parameters.text("metric").value_or(""), run.sources->files()[number].name);
  json.end_object();
  return json_answer(std::move(json).text());
}

}  // namespace cgpu
