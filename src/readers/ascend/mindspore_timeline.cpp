#include "readers/ascend/mindspore_timeline.h"

#include <optional>
#include <vector>

#include "base/json_text.h"
#include "base/parse_number.h"
#include "readers/ascend/assembler.h"
#include "readers/ascend/names.h"

namespace cgpu::ascend {

namespace {

constexpr int64_t kFirstOtherProcess = 9000;
constexpr int64_t kFirstDerivedThread = 7999;  // merged computation, communication, free time, steps

struct Stream {
  int32_t device = 0;
  int64_t number = 0;
};

/// The stream that a track is, if it is one.
std::optional<Stream> stream_of(const Track& track) {
  const auto process = parse_number(track.process);
  const auto thread = parse_number(track.thread);
  if (!process || !thread || *process < 0 || *process >= kFirstOtherProcess) return std::nullopt;
  if (*thread < 0 || *thread >= kFirstDerivedThread) return std::nullopt;
  return Stream{static_cast<int32_t>(*process), *thread};
}

}  // namespace

bool is_mindspore_timeline(std::string_view head) {
  const auto has = [&](std::string_view text) { return head.find(text) != std::string_view::npos; };
  return trim_json(head).starts_with('[') && has("\"fullname\"") && (has("\"NUMBER_TYPE_") || has("\"Default/"));
}

Run read_mindspore_timeline(std::shared_ptr<TextSource> source, const std::string& file, const ReadOptions& options,
                            TraceEventReader read_trace_events) {
  Run run = read_trace_events(std::move(source), file, options);
  run.format = "ascend";
  Timeline& timeline = run.timeline;
  Assembler assembler(run);
  const Facts facts;
  std::vector<std::optional<Stream>> streams;
  int32_t device = 0;
  for (Track& track : timeline.tracks) {
    streams.push_back(stream_of(track));
    if (!streams.back()) continue;
    track.kind = TrackKind::device_stream;
    device = streams.back()->device;
  }
  const uint16_t op_category = assembler.category("op", SliceKind::kernel);
  const uint16_t collective_category = assembler.category("communication", SliceKind::device_collective);
  const uint16_t other_category = assembler.category("other", SliceKind::other);
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    const std::optional<Stream>& stream = streams[timeline.slices.track[slice]];
    const std::string name(timeline.name(slice));
    const bool collective = is_communication_name(name);
    timeline.slices.category[slice] = collective ? collective_category : stream ? op_category : other_category;
    if (!collective && !stream) continue;
    DeviceOp op;
    op.slice = slice;
    op.device = stream ? stream->device : device;
    const GroupLabel group = facts.group_of(name);
    op.stream = stream ? stream->number : assembler.stream_of_group(group.text);
    assembler.add_device_op(op);
    if (collective) assembler.add_collective(slice, {name, group, "", -1});
  }
  assembler.finish();
  return run;
}

}  // namespace cgpu::ascend
