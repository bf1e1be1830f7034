#include "serve/argument_search.h"

#include <numeric>
#include <span>
#include <utility>

#include "export/event_arguments.h"
#include "serve/profile.h"
#include "serve/text_pattern.h"

namespace cgpu {

namespace {

std::vector<SliceIndex> find_in(const Run& run, const ArgumentQuery& query, const TextPattern& pattern) {
  std::vector<SliceIndex> all(run.timeline.slices.size());
  std::iota(all.begin(), all.end(), SliceIndex{0});
  std::vector<SliceIndex> found;
  const TextPattern key(query.key, false);
  std::vector<int8_t> wanted;  // by number of a key: -1 where it was not compared yet
  EventArguments values(run, true, EventArguments::Joined::by_correlation);
  values.for_each(all, [&](SliceIndex slice, std::span<const ArgumentView> arguments) {
    for (const ArgumentView& argument : arguments) {
      if (argument.number >= wanted.size()) wanted.resize(argument.number + size_t{1}, -1);
      int8_t& is_wanted = wanted[argument.number];
      if (is_wanted < 0) is_wanted = key.is(argument.key) ? 1 : 0;
      if (is_wanted == 0) continue;
      if (query.equal ? pattern.is(argument.value) : pattern.is_in(argument.value)) {
        found.push_back(slice);
        return;
      }
    }
  });
  return found;
}

}  // namespace

std::shared_ptr<const ArgumentSearch::Slices> ArgumentSearch::find(const Profile& profile, const ArgumentQuery& query) {
  const TextPattern pattern(query.value, query.regex);
  const std::lock_guard lock(mutex_);
  if (found_ && last_ == query) return found_;
  auto found = std::make_shared<Slices>();
  const std::lock_guard reading(profile.arguments_mutex());
  for (const Run& run : profile.session().runs) found->push_back(find_in(run, query, pattern));
  last_ = query;
  found_ = std::move(found);
  return found_;
}

}  // namespace cgpu
