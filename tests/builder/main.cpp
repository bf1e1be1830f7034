// trace_builder: writes Kineto traces of simulated programs, and the truth about them.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "build.h"
#include "models.h"

namespace {

using namespace cgpu::builder;

template <class T, size_t N>
std::map<std::string, T> choices(const T (&values)[N]) {
  std::map<std::string, T> map;
  for (const T value : values) map.emplace(text_of(value), value);
  return map;
}

void write(const Options& options, const std::string& out, const std::string& truth) {
  std::vector<std::unique_ptr<FileSink>> files;
  std::vector<Sink*> sinks;
  if (options.ranks > 1) std::filesystem::create_directories(out);
  for (int rank = 0; rank < options.ranks; ++rank) {
    const std::string path = options.ranks > 1 ? out + "/rank-" + std::to_string(rank) + ".json" : out;
    sinks.push_back(files.emplace_back(std::make_unique<FileSink>(path)).get());
  }
  const nlohmann::ordered_json json = build(options, sinks);
  for (const auto& file : files) file->close();
  if (truth.empty()) return;
  std::ofstream stream(truth);
  stream << json.dump(1) << '\n';
  if (!stream.flush()) throw std::runtime_error(truth + ": cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  std::string out;
  std::string truth;
  double megabytes = 0;
  std::vector<std::string> causes;

  CLI::App app{"Writes a Kineto trace of a simulated program, and the truth about it. See tests/builder/README.md."};
  app.add_option("OUT", out, "The trace; with several ranks the folder of their traces")->required();
  app.add_option("--truth", truth, "Where to write the truth");
  app.add_option("--seed", options.seed, "The same seed gives the same bytes")->capture_default_str();
  auto* steps =
      app.add_option("--steps", options.steps, "Iterations")->check(CLI::Range(1, 1'000'000))->capture_default_str();
  app.add_option("--events", options.events, "Choose the steps to reach so many events a file")
      ->check(CLI::PositiveNumber)
      ->excludes(steps);
  app.add_option("--megabytes", megabytes, "Choose the steps to reach this size of a file")
      ->check(CLI::PositiveNumber)
      ->excludes(steps)
      ->excludes("--events");
  app.add_option("--layers", options.layers, "Layers of the model")->check(CLI::Range(1, 10'000));
  app.add_option("--streams", options.streams, "Streams besides the one of the collectives")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  app.add_option("--ranks", options.ranks, "Ranks")->check(CLI::Range(1, 64))->capture_default_str();
  app.add_option("--orphans", options.orphans, "Device ops without a launch call at the start")
      ->check(CLI::Range(0, 10'000))
      ->capture_default_str();
  const Model models[] = {Model::plain, Model::cnn, Model::dlrm, Model::moe, Model::llm};
  const Era eras[] = {Era::y2021, Era::y2024, Era::y2026};
  const Vendor vendors[] = {Vendor::nvidia, Vendor::amd};
  app.add_option("--model", options.model, "The program (default cnn)")->transform(CLI::Transformer(choices(models)));
  app.add_option("--era", options.era, "Dialect of the format (default 2026)")
      ->transform(CLI::Transformer(choices(eras)));
  app.add_option("--vendor", options.vendor, "Whose device (default nvidia)")
      ->transform(CLI::Transformer(choices(vendors)));
  app.add_flag("--shuffle", options.shuffle, "Events out of order");
  app.add_option("--idle", causes, "Causes of gaps, one gap each a step: CAUSE[,CAUSE...]")->delimiter(',');
  CLI11_PARSE(app, argc, argv);

  try {
    options.bytes = static_cast<int64_t>(megabytes * 1e6);
    for (const std::string& text : causes) {
      const auto cause = cause_of(text);
      if (!cause) throw std::runtime_error("--idle " + text + ": not a cause of docs/definitions.md");
      options.idle.push_back(*cause);
    }
    write(fit(options), out, truth);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trace_builder: %s\n", error.what());
    return 2;
  }
  return 0;
}
