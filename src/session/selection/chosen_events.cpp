#include "session/selection/chosen_events.h"

#include <algorithm>
#include <utility>

#include "analysis/events/choose_rows.h"

namespace cgpu {

ChosenEvents::ChosenEvents(OpenedProfile profile, const Analysis& analysis, const TableOptions& options,
                           RowChoice choice)
    : profile_(std::move(profile)),
      analysis_(analysis),
      choice_(std::move(choice)),
      events_(analysis.events(analysis, profile_.facts("table " + analysis.name), options)),
      declared_(ChosenRows(analysis, *events_, choice_).declared()) {}

size_t ChosenEvents::row_count() const {
  const std::lock_guard lock(mutex_);
  if (!row_count_) {
    row_count_ = count_rows(analysis_, *events_, choice_.where);
    if (choice_.top != 0) row_count_ = std::min(*row_count_, choice_.top);
  }
  return *row_count_;
}

NextBatch ChosenEvents::read(size_t most) const {
  RowChoice choice = choice_;
  if (most != 0) choice.top = choice.top == 0 ? most : std::min(most, choice.top);
  return [kept = shared_from_this(), rows = std::make_shared<ChosenRows>(analysis_, *events_, std::move(choice))] {
    const std::lock_guard lock(kept->mutex_);
    return rows->next();
  };
}

}  // namespace cgpu
