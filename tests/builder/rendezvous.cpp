#include "rendezvous.h"

#include <algorithm>
#include <numeric>

namespace cgpu::builder {

std::vector<Communicator> communicators(const Options& options) {
  Communicator world{"0", "default_pg", std::vector<int>(static_cast<size_t>(options.ranks))};
  std::iota(world.ranks.begin(), world.ranks.end(), 0);
  std::vector<Communicator> groups{world};
  // Before 2024 a trace does not say which group a collective ran on, so there is one.
  if (options.era == Era::y2021) return groups;
  const bool halves = options.model == Model::moe && options.ranks >= 4 && options.ranks % 2 == 0;
  const int size = halves ? options.ranks / 2 : options.ranks;
  for (int first = 0; first < options.ranks; first += size) {
    Communicator group{std::to_string(groups.size()), "expert_parallel", std::vector<int>(static_cast<size_t>(size))};
    std::iota(group.ranks.begin(), group.ranks.end(), first);
    groups.push_back(group);
  }
  return groups;
}

int64_t Rendezvous::latest(size_t group, int64_t start) {
  std::unique_lock lock(mutex_);
  Meeting& meeting = meetings_[group];
  meeting.latest = std::max(meeting.latest, start);
  if (++meeting.present == groups_[group].ranks.size()) {
    meeting.outcome = meeting.latest;
    meeting.latest = INT64_MIN;
    meeting.present = 0;
    ++meeting.round;
    all_here_.notify_all();
    return meeting.outcome;
  }
  // The next round cannot end before this rank joins it, so the outcome is kept until it has been read.
  const uint64_t round = meeting.round;
  all_here_.wait(lock, [&] { return given_up_ || meeting.round != round; });
  if (meeting.round == round) throw GaveUp("another rank could not be written");
  return meeting.outcome;
}

void Rendezvous::give_up() {
  const std::lock_guard lock(mutex_);
  given_up_ = true;
  all_here_.notify_all();
}

}  // namespace cgpu::builder
