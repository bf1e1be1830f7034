// Writes a small HPCToolkit database, for tests of the whole program: hpctoolkit_builder FOLDER.
//
// Two threads of one rank: main calls solve, which has a loop that calls dot; the second thread waits in poll. A stream
// runs the kernel that solve launched. Samples stand a millisecond apart.
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

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::fputs("usage: hpctoolkit_builder FOLDER\n", stderr);
    return 2;
  }
  try {
    const std::filesystem::path folder = words[1];
    std::filesystem::create_directories(folder);
    const TestDatabase database = program().build();
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
