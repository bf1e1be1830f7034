// What the competitors of bench/compare/run read and print.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

/// A file of 32-bit numbers.
inline std::vector<uint64_t> read_sequence(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto* numbers = reinterpret_cast<const uint32_t*>(bytes.data());
  return {numbers, numbers + bytes.size() / sizeof(uint32_t)};
}

/// Prints the seconds that `work(a, b)` takes and the length of the common subsequence that it returns.
template <typename Work>
int measure(char** paths, Work work) {
  const std::vector<uint64_t> a = read_sequence(paths[1]);
  const std::vector<uint64_t> b = read_sequence(paths[2]);
  const auto begin = std::chrono::steady_clock::now();
  const size_t length = work(a, b);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("{\"seconds\": %.6f, \"length\": %zu}\n", took.count(), length);
  return 0;
}
