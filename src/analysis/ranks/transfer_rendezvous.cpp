#include "analysis/ranks/transfer_rendezvous.h"

#include <algorithm>
#include <numeric>

#include "analysis/session_clock.h"
#include "links/common_time.h"

namespace cgpu {

namespace {

/// Sets that are joined: a forest in which each number leads to the one that stands for its set.
class Sets {
 public:
  explicit Sets(size_t count) : above_(count) { std::iota(above_.begin(), above_.end(), uint32_t{0}); }
  uint32_t of(uint32_t number) {
    while (above_[number] != number) number = above_[number] = above_[above_[number]];
    return number;
  }
  void join(uint32_t a, uint32_t b) { above_[of(a)] = of(b); }

 private:
  OutOfCoreVector<uint32_t> above_;
};

constexpr uint32_t kNobody = UINT32_MAX;

/// Of an instance.
struct Transfer {
  int64_t last_start = INT64_MIN;
  int64_t first_end = INT64_MAX;
  uint32_t part = kNobody;  // one of those that met
};

}  // namespace

OutOfCoreVector<uint32_t> transfer_rendezvous(const Session& session, const CollectiveSeries& series) {
  const bool comparable = has_common_clock(session);
  Sets sets(series.parts.size());
  OutOfCoreVector<Transfer> transfers(series.instances);
  for (const CollectiveMember& member : series.members) {
    const Run& run = session.runs[member.run];
    for (uint32_t i = member.first; i < member.end; ++i) {
      if (series.is_of_op_before(i, member)) sets.join(i, i - 1);
      const CollectivePart part = series.parts.row(i);
      Transfer& transfer = transfers[part.instance];
      transfer.last_start = std::max(transfer.last_start, common_time(run, part.start));
      transfer.first_end = std::min(transfer.first_end, common_time(run, part.end()));
    }
  }
  for (uint32_t part = 0; part < series.parts.size(); ++part) {
    Transfer& transfer = transfers[series.parts.instance[part]];
    if (comparable && transfer.first_end < transfer.last_start) continue;
    if (transfer.part == kNobody) transfer.part = part;
    sets.join(part, transfer.part);
  }
  OutOfCoreVector<uint32_t> numbers(series.parts.size(), kNobody);  // of a set, at the part that stands for it
  uint32_t next = 0;
  for (uint32_t part = 0; part < numbers.size(); ++part) {
    uint32_t& number = numbers[sets.of(part)];
    if (number == kNobody) number = next++;
  }
  OutOfCoreVector<uint32_t> rendezvous(series.parts.size());
  for (uint32_t part = 0; part < rendezvous.size(); ++part) rendezvous[part] = numbers[sets.of(part)];
  return rendezvous;
}

}  // namespace cgpu
