#include "serve/endpoints/slice_waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "table/units.h"

namespace cgpu {

namespace {

constexpr size_t kMostWaits = 200;

const char* sentence_of_op(const Wait& wait) {
  if (wait.held != kNone)
    return "The next op of its stream could not begin before the op in front of the event had ended.";
  switch (wait.by) {
    case Wait::By::launch:
      return "It returned when the copy that it had started had ended.";
    case Wait::By::record:
      return "It ended when the stream came to the event, behind this op.";
    case Wait::By::stream:
      return "It ended with the last op that its stream had been given.";
    case Wait::By::device:
      return "It ended with the last op that the device had been given.";
    default:
      return "The profile does not say for which stream it waited; by the times, only that of this op can have ended "
             "it.";
  }
}

std::string sentence_of(const Timeline& timeline, const Wait& wait) {
  const bool guessed = wait.by == Wait::By::times;
  switch (wait.end) {
    case Wait::End::op:
      return sentence_of_op(wait);
    case Wait::End::event:
      return "By the times, it ended when another stream came to an event; no op of that stream ended meanwhile.";
    case Wait::End::nothing:
      return guessed ? "No op that it can have waited for ended meanwhile." : "What it waits for had ended before.";
    case Wait::End::later:
      return fmt::format("By the times of the profile, what it waits for ended {} after it did.",
                         format_ns(timeline.slices.end(wait.op) - timeline.slices.end(wait.slice)));
    case Wait::End::ambiguous:
      return "The profile does not say for which stream it waited, and ops of several ended meanwhile.";
    case Wait::End::unknown:
      break;
  }
  return "The profile does not say what it waited for.";
}

}  // namespace

void write_slice_waits(JsonTextWriter& json, const Profile& profile, size_t run, SliceIndex slice) {
  const auto write_slice = [&](const char* key, SliceIndex which) {
    if (which == kNone) return;
    json.key(key);
    write_position(json, profile.view(), run, which);
  };
  if (const Wait* wait = profile.facts().waits(run).find(slice)) {
    json.key("wait").begin_object().member("end", text_of(wait->end));
    if (wait->by != Wait::By::none) json.member("by", text_of(wait->by));
    json.member("why", sentence_of(profile.session().runs[run].timeline, *wait));
    write_slice("op", wait->op);
    write_slice("held", wait->held);
    write_slice("record", wait->record);
    json.end_object();
  }
  const std::vector<const Wait*> around = profile.facts().waits(run).around(slice);
  if (around.empty()) return;
  json.key("waits").begin_array();
  for (size_t i = 0; i < std::min(around.size(), kMostWaits); ++i) {
    const Wait& wait = *around[i];
    json.begin_object().member("part", slice == wait.op ? "ended" : slice == wait.held ? "held" : "recorded");
    write_slice("wait", wait.slice);
    if (slice != wait.op) write_slice("op", wait.op);
    if (slice != wait.held) write_slice("held", wait.held);
    json.end_object();
  }
  json.end_array().member("waits_count", around.size());
}

std::vector<WaitArrow> wait_arrows(const Profile& profile, size_t run, SliceIndex slice) {
  const Waits& waits = profile.facts().waits(run);
  std::vector<const Wait*> all = waits.around(slice);
  if (const Wait* own = waits.find(slice)) all.push_back(own);
  std::vector<WaitArrow> arrows;
  for (const Wait* wait : all) {
    if (wait->held != kNone) {
      arrows.push_back({"held", wait->op, wait->held});
    } else if (wait->end == Wait::End::op) {
      arrows.push_back({"wait", wait->op, wait->slice});
    }
    if (wait->record != kNone) arrows.push_back({"event", wait->record, wait->slice});
  }
  return arrows;
}

}  // namespace cgpu
