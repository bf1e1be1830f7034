// Writes a small HPCToolkit database, for tests of the whole program: hpctoolkit_builder FOLDER [WAITED | copies |
// copies-untraced | ranks=N].
//
// Two threads of one rank: main calls solve, which has a loop that calls dot; the second thread waits in poll. A stream
// runs the kernel that solve launched. Samples are a millisecond apart.
//
// With WAITED another one, without a trace: a thread that waits at a barrier for WAITED percent of its time, and the
// instructions of two kernels, as sampled.
//
// With copies one whose device copies 200 times 4 KiB to it, 20 us each, and runs a kernel of 30 us after each; with
// copies-untraced the same, without a trace.
//
// With ranks=N one of N ranks, a thread each, of 400 samples a millisecond apart: setup, then ten times solve, which
// calls relax and in it smooth, and exchange, in which a rank waits the longer the less it has to smooth; write at the
// end.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>

#include "readers/hpctoolkit/test_database.h"

namespace {

using namespace cgpu::hpctoolkit::test;

constexpr uint64_t kMillisecond = 1'000'000;

DatabaseBuilder program() {
  DatabaseBuilder builder;
  builder.metrics = {"CPUTIME (sec)", "GKER (sec)"};
  const TestContext dot{6, 1, 0, "dot", "/src/dot.c", 5, "/bin/program", 0, {}};
  const TestContext call{5, 0, 2, "", "/src/solve.c", 22, "", 0, {dot}};
  const TestContext loop{4, 0, 1, "", "/src/solve.c", 20, "/bin/program", 0x1169, {call}};
  const TestContext code{8, 1, 0, "scale(float*)", "/src/scale.cu", 3, "/bin/program", 0, {}};
  const TestContext kernel{7, 1, 0, "<gpu kernel>", "", 0, "", 0, {code}};
  const TestContext solve{3, 1, 0, "solve", "/src/solve.c", 10, "/bin/program", 0, {loop, kernel}};
  const TestContext main{2, 1, 0, "main", "/src/main.c", 1, "/bin/program", 0, {solve}};
  const TestContext poll{10, 1, 0, "poll", "", 0, "/lib/libc.so", 0, {}};
  builder.entries = {{1, "main thread", {main}}, {9, "program thread", {poll}}};

  TestProfile first{{{node, 1}, {rank, 0}, {thread, 0}}, {}, {}};
  TestProfile second{{{node, 1}, {rank, 0}, {thread, 1}}, {}, {}};
  const std::vector<uint32_t> samples{2, 3, 4, 6, 6, 4, 6, 3, 2, 0};
  for (size_t i = 0; i < samples.size(); ++i) first.trace.emplace_back((i + 1) * kMillisecond, samples[i]);
  second.trace = {{kMillisecond, 10}, {10 * kMillisecond, 0}};
  TestProfile stream{{{node, 1}, {rank, 0}, {gpu_context, 0}, {gpu_stream, 7}}, {}, {}};
  stream.trace = {{4 * kMillisecond, 8}, {6 * kMillisecond, 0}, {7 * kMillisecond, 8}, {9 * kMillisecond, 0}};

  const auto cost = [&](TestProfile& profile, uint32_t context, double own, double all) {
    profile.set(context, 0, own, all);
  };
  for (const uint32_t context : {0U, 1U}) cost(first, context, 0, 0.009);
  cost(first, 2, 0.002, 0.009);
  cost(first, 3, 0.002, 0.007);
  cost(first, 4, 0.002, 0.005);
  for (const uint32_t context : {5U, 6U}) cost(first, context, context == 6 ? 0.003 : 0, 0.003);
  for (const uint32_t context : {0U, 9U, 10U}) cost(second, context, context == 10 ? 0.009 : 0, 0.009);
  for (const uint32_t context : {0U, 1U, 2U, 3U, 7U, 8U}) first.set(context, 1, context == 8 ? 0.004 : 0, 0.004);
  builder.profiles = {first, second, stream};
  return builder;
}

/// What was sampled of the instructions in one place, and how much of it waited.
struct Sampled {
  std::vector<uint32_t> path;  // contexts from the outside in; the samples are in the last
  double instructions;
  double memory;
  double barrier;
};

DatabaseBuilder sampled_program(double waited_percent) {
  DatabaseBuilder builder;
  builder.metrics = {"CPUTIME (sec)", "GINS", "GINS:STL_GMEM", "GINS:STL_SYNC"};
  const TestContext clamp_line{12, 0, 2, "", "/src/clamp.h", 9, "", 0, {}};
  const TestContext clamp{11, 2, 0, "clamp", "/src/clamp.h", 8, "/gpu/program", 0, {clamp_line}};
  const TestContext second_line{10, 0, 2, "", "/src/scale.cu", 5, "", 0, {clamp}};
  const TestContext first_line{9, 0, 2, "", "/src/scale.cu", 4, "", 0, {}};
  const TestContext scale{8, 1, 0, "scale(float*)", "/src/scale.cu", 3, "/gpu/program", 0, {first_line, second_line}};
  const TestContext helper_line{16, 0, 2, "", "/src/clamp.h", 9, "", 0, {}};
  const TestContext helper{15, 1, 0, "clamp", "/src/clamp.h", 8, "/gpu/program", 0, {helper_line}};
  const TestContext reduce{14, 1, 0, "reduce(float*)", "/src/reduce.cu", 20, "/gpu/program", 0, {helper}};
  const TestContext one{7, 1, 0, "<gpu kernel>", "", 0, "", 0, {scale}};
  const TestContext other{13, 1, 0, "<gpu kernel>", "", 0, "", 0, {reduce}};
  const TestContext barrier{3, 1, 0, "<omp barrier wait>", "", 0, "", 0, {}};
  const TestContext main{2, 1, 0, "main", "/src/main.c", 1, "/bin/program", 0, {barrier, one, other}};
  builder.entries = {{1, "main thread", {main}}};

  TestProfile profile{{{node, 1}, {rank, 0}, {thread, 0}}, {}, {}};
  const double waited = waited_percent / 100;
  for (const uint32_t context : {0U, 1U, 2U}) profile.set(context, 0, context == 2 ? 1 - waited : 0, 1);
  profile.set(3, 0, waited, waited);
  const std::vector<Sampled> samples{{{0, 1, 2, 7, 8, 9}, 100, 60, 0},
                                     {{0, 1, 2, 7, 8, 10, 11, 12}, 40, 10, 20},
                                     {{0, 1, 2, 13, 14}, 6, 6, 0},
                                     {{0, 1, 2, 13, 14, 15, 16}, 54, 14, 10}};
  for (const Sampled& place : samples) {
    for (const auto& [metric, value] :
         {std::pair<uint16_t, double>(1, place.instructions), {2, place.memory}, {3, place.barrier}}) {
      if (value == 0) continue;
      for (const uint32_t context : place.path) {
        if (context == place.path.back()) profile.values[context][static_cast<uint16_t>(2 * metric)] += value;
        profile.values[context][static_cast<uint16_t>(2 * metric + 1)] += value;
      }
    }
  }
  builder.profiles = {profile};
  return builder;
}

DatabaseBuilder copying_program(bool traced) {
  constexpr int kCopies = 200;
  constexpr uint64_t kCopy = 20'000;
  constexpr uint64_t kKernel = 30'000;
  constexpr double kBytes = 4096;
  DatabaseBuilder builder;
  builder.metrics = {"GPUOP (sec)", "GKER (sec)", "GXCOPY (sec)", "GXCOPY:COUNT", "GXCOPY:H2D (B)"};
  const TestContext code{4, 1, 0, "scale(float*)", "/src/scale.cu", 3, "/gpu/program", 0, {}};
  const TestContext kernel{3, 1, 0, "<gpu kernel>", "", 0, "", 0, {code}};
  const TestContext copy{5, 1, 0, "<gpu copyin>", "", 0, "", 0, {}};
  const TestContext main{2, 1, 0, "main", "/src/main.c", 1, "/bin/program", 0, {kernel, copy}};
  builder.entries = {{1, "main thread", {main}}};

  TestProfile host{{{node, 1}, {rank, 0}, {thread, 0}}, {}, {}};
  const double copying = 1e-9 * static_cast<double>(kCopies * kCopy);
  const double computing = 1e-9 * static_cast<double>(kCopies * kKernel);
  for (const uint32_t context : {0U, 1U, 2U}) {
    host.set(context, 0, 0, copying + computing);
    host.set(context, 1, 0, computing);
    host.set(context, 2, 0, copying);
    host.set(context, 3, 0, kCopies);
    host.set(context, 4, 0, kCopies * kBytes);
  }
  for (const uint32_t context : {3U, 4U}) {
    for (const uint16_t metric : {uint16_t{0}, uint16_t{1}}) {
      host.set(context, metric, context == 4 ? computing : 0, computing);
    }
  }
  host.set(5, 0, copying, copying);
  host.set(5, 2, copying, copying);
  host.set(5, 3, kCopies, kCopies);
  host.set(5, 4, kCopies * kBytes, kCopies * kBytes);
  builder.profiles = {host};
  if (!traced) return builder;

  TestProfile stream{{{node, 1}, {rank, 0}, {gpu_context, 0}, {gpu_stream, 7}}, {}, {}};
  uint64_t now = kMillisecond;
  for (int i = 0; i < kCopies; ++i) {
    stream.trace.emplace_back(now, 5);
    stream.trace.emplace_back(now += kCopy, 4);
    stream.trace.emplace_back(now += kKernel, 0);
    now += 1'000;
  }
  builder.profiles.push_back(stream);
  return builder;
}

DatabaseBuilder job(uint32_t ranks) {
  constexpr uint32_t kSamples = 400;
  constexpr uint32_t kSetup = 30;
  constexpr uint32_t kIteration = 35;
  constexpr uint32_t kIterations = 10;
  constexpr uint32_t kRelax = 5;
  DatabaseBuilder builder;
  builder.metrics = {"CPUTIME (sec)"};
  const TestContext read{4, 1, 0, "read_mesh", "/src/mesh.c", 8, "/bin/program", 0, {}};
  const TestContext setup{3, 1, 0, "setup", "/src/setup.c", 5, "/bin/program", 0, {read}};
  const TestContext smooth{7, 1, 0, "smooth", "/src/smooth.c", 12, "/bin/program", 0, {}};
  const TestContext relax{6, 1, 0, "relax", "/src/relax.c", 9, "/bin/program", 0, {smooth}};
  const TestContext wait{9, 1, 0, "MPI_Waitall", "", 0, "/lib/libmpi.so", 0, {}};
  const TestContext exchange{8, 1, 0, "exchange", "/src/exchange.c", 30, "/bin/program", 0, {wait}};
  const TestContext solve{5, 1, 0, "solve", "/src/solve.c", 20, "/bin/program", 0, {relax, exchange}};
  const TestContext write{10, 1, 0, "write_result", "/src/write.c", 3, "/bin/program", 0, {}};
  const TestContext main{2, 1, 0, "main", "/src/main.c", 1, "/bin/program", 0, {setup, solve, write}};
  builder.entries = {{1, "main thread", {main}}};
  for (uint32_t number = 0; number < ranks; ++number) {
    TestProfile profile{{{node, 1}, {rank, number}, {thread, 0}}, {}, {}};
    const auto context_at = [&](uint32_t sample) -> uint32_t {
      if (sample < kSetup) return sample < 10 + number % 7 ? 4 : 3;
      if (sample >= kSetup + kIterations * kIteration) return 10;
      const uint32_t at = (sample - kSetup) % kIteration;
      if (at < kRelax) return 6;
      return at < kRelax + 10 + number % 16 ? 7 : 9;
    };
    for (uint32_t sample = 0; sample < kSamples; ++sample) {
      profile.trace.emplace_back((sample + 1) * kMillisecond, context_at(sample));
    }
    profile.trace.emplace_back((kSamples + 1) * kMillisecond, 0);
    for (const uint32_t context : {0U, 1U, 2U}) profile.set(context, 0, 0, 1e-3 * kSamples);
    builder.profiles.push_back(profile);
  }
  return builder;
}

DatabaseBuilder program_of(const std::string& kind) {
  if (kind.empty()) return program();
  if (kind.starts_with("copies")) return copying_program(kind == "copies");
  const std::string many = "ranks=";
  if (kind.starts_with(many)) return job(static_cast<uint32_t>(std::stoul(kind.substr(many.size()))));
  return sampled_program(std::stod(kind));
}

}  // namespace

int main(int count, char** words) {
  if (count != 2 && count != 3) {
    std::fputs("usage: hpctoolkit_builder FOLDER [WAITED | copies | copies-untraced | ranks=N]\n", stderr);
    return 2;
  }
  try {
    const std::filesystem::path folder = words[1];
    std::filesystem::create_directories(folder);
    const TestDatabase database = program_of(count == 2 ? "" : words[2]).build();
    const auto write = [&](const char* name, const std::string& bytes) {
      std::ofstream(folder / name, std::ios::binary) << bytes;
    };
    write("meta.db", database.meta);
    write("profile.db", database.profile);
    write("cct.db", database.cct);
    write("trace.db", database.trace);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hpctoolkit_builder: %s\n", error.what());
    return 2;
  }
  return 0;
}
