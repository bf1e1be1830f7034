#include "session/ranks/rank_sizes.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>

#include "base/threads.h"
#include "session/ranks/exchange.h"

namespace cgpu {

namespace {

/// A rank needs at most about this many times the bytes of its file while it is open: a compressed one swells.
constexpr double kOpenBytesOfPlainByte = 1.0;
constexpr double kOpenBytesOfCompressedByte = 12.0;
/// The share of the memory that is available that open ranks may take.
constexpr double kShareOfMemory = 0.5;

/// The bytes that open ranks of this process may take.
double most_open_bytes(const OpenOptions& open) {
  if (open.memory > 0) return open.memory;
  constexpr std::string_view kAvailable = "MemAvailable:";  // in kB: free, and what the system only keeps to be quick
  const unsigned processes = open.exchange == nullptr ? 1 : open.exchange->processes_on_machine();
  std::ifstream information("/proc/meminfo");
  for (std::string line; std::getline(information, line);) {
    if (!line.starts_with(kAvailable)) continue;
    return kShareOfMemory * 1024 * std::strtod(line.c_str() + kAvailable.size(), nullptr) / processes;
  }
  return 0;
}

}  // namespace

unsigned threads_of(const OpenOptions& open) {
  return thread_count(open.threads == 0 && open.exchange != nullptr ? open.exchange->threads() : open.threads);
}

double open_bytes(const ProfilePath& profile) {
  std::error_code error;
  double bytes = 0;
  if (profile.is_folder) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(profile.path, error)) {
      if (entry.is_regular_file(error)) bytes += static_cast<double>(entry.file_size(error));
    }
  } else {
    bytes = static_cast<double>(std::filesystem::file_size(profile.path, error));
    if (error) bytes = 0;
  }
  const bool compressed = profile.path.ends_with(".gz") || profile.path.ends_with(".zst");
  return bytes * (compressed ? kOpenBytesOfCompressedByte : kOpenBytesOfPlainByte);
}

unsigned concurrent_ranks(const std::vector<ProfilePath>& profiles, const OpenOptions& open, unsigned threads) {
  double largest = 1;
  for (const ProfilePath& profile : profiles) largest = std::max(largest, open_bytes(profile));
  return static_cast<unsigned>(std::clamp(most_open_bytes(open) / largest, 1.0, static_cast<double>(threads)));
}

bool fit_together(const std::vector<ProfilePath>& profiles, const OpenOptions& open, const NumberList& ranks) {
  std::vector<double> sizes;
  for (const ProfilePath& profile : profiles) sizes.push_back(open_bytes(profile));
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  if (!ranks.empty()) sizes.resize(std::min(sizes.size(), ranks.count(sizes.size()) + 1));
  return std::accumulate(sizes.begin(), sizes.end(), 0.0) <= most_open_bytes(open);
}

std::vector<uint32_t> largest_first(const std::vector<ProfilePath>& profiles) {
  std::vector<double> sizes;
  for (const ProfilePath& profile : profiles) sizes.push_back(open_bytes(profile));
  std::vector<uint32_t> order(profiles.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) { return sizes[a] > sizes[b]; });
  return order;
}

}  // namespace cgpu
