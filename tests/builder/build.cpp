#include "build.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <thread>

#include "books.h"
#include "header.h"
#include "kineto_writer.h"
#include "machine.h"
#include "models.h"
#include "program.h"
#include "rendezvous.h"
#include "truth.h"

namespace cgpu::builder {

namespace {

constexpr size_t kShuffleWindow = 4096;

void build_rank(const Options& options, const ModelSpec& model, int rank, Rendezvous& ranks, Sink& sink,
                RankTruth& truth) {
  const TimeStyle style = options.era == Era::y2021 ? TimeStyle::whole_microseconds : TimeStyle::decimals;
  KinetoWriter writer(sink, style);
  if (options.shuffle) writer.shuffle(kShuffleWindow, options.seed);
  writer.begin(header_members(options, rank, ranks.groups()));
  for (const Part part : {Part::ops, Part::python_and_memory, Part::device}) {
    const bool last = part == Part::device;
    Machine machine(options, rank, ranks, part, writer, last ? &truth.books : nullptr);
    Program(options, model, rank, ranks.groups(), machine).run();
    if (last) {
      truth.books.settle(INT64_MAX);
      write_epilogue(options, rank, machine, writer);
    }
  }
  writer.end(footer_members(options, rank));
  truth.events = writer.counts();
  truth.first_slice = writer.first_slice();
}

struct Size {
  int64_t bytes = 0;
  int64_t events = 0;
};

Size measure(Options options, int steps) {
  options.steps = steps;
  options.ranks = 1;  // the number of ranks changes a file by some digits only
  CountingSink sink;
  const nlohmann::ordered_json truth = build(options, {&sink});
  return {static_cast<int64_t>(sink.bytes()), truth["ranks"][0]["events"]["read"].get<int64_t>()};
}

}  // namespace

nlohmann::ordered_json build(const Options& options, const std::vector<Sink*>& sinks) {
  const ModelSpec model = model_spec(options);
  Rendezvous ranks(communicators(options));
  std::vector<std::unique_ptr<RankTruth>> truths;
  std::vector<std::exception_ptr> failures(static_cast<size_t>(options.ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < options.ranks; ++rank) truths.push_back(std::make_unique<RankTruth>());
  for (int rank = 0; rank < options.ranks; ++rank) {
    const auto i = static_cast<size_t>(rank);
    threads.emplace_back([&, rank, i] {
      try {
        build_rank(options, model, rank, ranks, *sinks[i], *truths[i]);
      } catch (...) {
        failures[i] = std::current_exception();
        ranks.give_up();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // The first failure by time is the cause, the others are its consequences: report one that is no consequence.
  for (const std::exception_ptr& failure : failures) {
    if (!failure) continue;
    try {
      std::rethrow_exception(failure);
    } catch (const GaveUp&) {
    }
  }
  return truth_json(options, model, truths);
}

Options fit(Options options) {
  const bool by_bytes = options.bytes > 0;
  const int64_t goal = by_bytes ? options.bytes : options.events;
  if (goal == 0) return options;
  options.bytes = options.events = 0;
  const auto size = [&](int steps) {
    const Size s = measure(options, steps);
    return by_bytes ? s.bytes : s.events;
  };
  constexpr int kFew = 8;  // every kind of step occurs among so many
  constexpr int kEnough = 16;
  if (options.layers == 0) {
    // Fewer layers where a step would otherwise be a large part of the file.
    options.layers = model_spec(options).layers;
    while (options.layers > 1 && size(2 * kFew) - size(kFew) > goal * kFew / kEnough) options.layers /= 2;
  }
  const int64_t fixed = 2 * size(kFew) - size(2 * kFew);
  const double step = static_cast<double>(size(2 * kFew) - size(kFew)) / kFew;
  options.steps = static_cast<int>(std::max(1.0, std::round(static_cast<double>(goal - fixed) / step)));
  return options;
}

std::string build_text(const Options& options, nlohmann::ordered_json* truth) {
  StringSink sink;
  nlohmann::ordered_json json = build(options, {&sink});
  if (truth) *truth = std::move(json);
  return sink.text();
}

}  // namespace cgpu::builder
