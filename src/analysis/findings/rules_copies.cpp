// Rules about how data is moved between host and device.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/device/device_ops.h"
#include "analysis/findings/investigation.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// The copies between host and device of a session.
struct Copies {
  int64_t count = 0;
  int64_t bytes = 0;
  int64_t time = 0;
  int64_t pageable_bytes = 0;
  int64_t pageable_time = 0;
  int64_t small = 0;  // below Thresholds::small_copy
  int64_t small_time = 0;
};

Copies copies_of(const Session& session, double small_copy) {
  Copies copies;
  for (const Run& run : session.runs) {
    const DeviceOps& ops = run.timeline.device_ops;
    for_each_device_op(run.timeline, [&](OpIndex op, SliceIndex slice) {
      if (ops.copy[op] != CopyKind::HtoD && ops.copy[op] != CopyKind::DtoH) return;
      const int64_t time = run.timeline.slices.duration[slice];
      ++copies.count;
      copies.time += time;
      if (ops.bytes[op] > 0) copies.bytes += ops.bytes[op];
      if (ops.source[op] == MemoryKind::pageable || ops.destination[op] == MemoryKind::pageable) {
        copies.pageable_bytes += std::max<int64_t>(ops.bytes[op], 0);
        copies.pageable_time += time;
      }
      if (ops.bytes[op] >= 0 && static_cast<double>(ops.bytes[op]) < small_copy) {
        ++copies.small;
        copies.small_time += time;
      }
    });
  }
  return copies;
}

}  // namespace

void find_copies(Investigation& run, std::vector<Finding>& findings) {
  if (!run.has_device_ops()) return;
  const double waiting = run.path_share(IdleCause::blocking_copy);
  const double copying = run.path_share(BoundBy::memory);
  EdgeTimes::Question not_blocking;  // what copies cost is also what the host does only after those that block it
  not_blocking.freed.set(BoundBy(IdleCause::blocking_copy).number());
  EdgeTimes::Question at_once;
  at_once.freed.set(BoundBy(BoundBy::memory).number());
  EdgeTimes::Question gone;
  gone.freed = not_blocking.freed | at_once.freed;
  const int64_t gain = run.gain_of(gone);
  const double share = static_cast<double>(gain) / static_cast<double>(run.measured());
  if (std::max(share, waiting + copying) < run.thresholds().noticeable) return;
  const Copies copies = copies_of(run.session(), run.thresholds().small_copy);
  const std::string moved = fmt::format("{} copies between host and device, {} in {}", copies.count,
                                        format_bytes(copies.bytes), format_ns(copies.time));
  Finding finding{.rule = "exposed_copies",
                  .title = std::string(kShareOfTime) + " the run waits for copies",
                  .evidence = fmt::format(
                      "{} on the critical path; {}",
                      run.per_step(run.path(BoundBy::memory).total + run.path(IdleCause::blocking_copy).total), moved),
                  .suggestion =
                      "Copy on a stream of its own while kernels run, in time before the data is needed; keep data on "
                      "the device",
                  .command = "transfers",
                  .confidence = Confidence::high,
                  .time = (copying > waiting ? run.path(BoundBy::memory) : run.path(IdleCause::blocking_copy)).longest,
                  .remedy = gone};
  if (static_cast<double>(copies.small) >= run.thresholds().many_copies && 2 * copies.small > copies.count &&
      2 * (copies.small_time) > copies.time &&
      static_cast<double>(gain) < run.thresholds().small_copy_cost * static_cast<double>(copies.small)) {
    finding.rule = "small_copies";
    finding.title = std::string(kShareOfTime) + " the run waits for copies, most of them small";
    finding.evidence += fmt::format("; {} of them below 64 KiB", copies.small);
    finding.suggestion = "Put many small copies into one: pack on the host, copy once, split on the device";
  } else if (2 * copies.pageable_time > copies.time && copies.pageable_time > 0) {
    finding.rule = "pageable_copies";
    finding.title = std::string(kShareOfTime) + " the run waits for copies of pageable memory";
    finding.evidence += fmt::format(
        "; {} of it pageable, at {}", format_bytes(copies.pageable_bytes),
        format_rate(static_cast<double>(copies.pageable_bytes) / static_cast<double>(copies.pageable_time), "GB/s"));
    finding.suggestion =
        "Use page-locked memory (pin_memory=True, cudaHostAlloc) with copies that do not block "
        "(non_blocking=True): they run beside kernels, at the speed of the link";
  } else if (run.gain_of(not_blocking) > run.gain_of(at_once)) {
    finding.rule = "blocking_copies";
    finding.title = std::string(kShareOfTime) + " is lost because the host waits for copies that block it";
    finding.suggestion =
        "Copy without blocking (cudaMemcpyAsync, non_blocking=True, page-locked memory), and wait only "
        "where the data is used";
  }
  findings.push_back(std::move(finding));
}

}  // namespace cgpu
