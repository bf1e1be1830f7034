#include "readers/perfetto/own_export.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_text.h"
#include "model/export_marks.h"
#include "model/time_range.h"
#include "readers/common/input.h"
#include "readers/common/int32_or_none.h"
#include "readers/common/own_export.h"
#include "readers/common/run_description.h"
#include "readers/perfetto/annotations.h"
#include "readers/perfetto/arguments.h"
#include "readers/perfetto/fields.h"

namespace cgpu::perfetto {

namespace {

using export_marks::FlowKind;
using export_marks::TrackNumber;

enum Clock : uint64_t { kRealtime = 1, kBoottime = 6 };

/// Calls use(key, value message) for the attributes of a TraceAttributes message.
template <typename Use>
void each_attribute(std::string_view message, Use use) {
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    if (field.number != trace_attributes::kAttributes || !field.is_bytes()) continue;
    use(protobuf_bytes(field.bytes, attribute::kKey), field.bytes);
  }
}

class ExportReader {
 public:
  ExportReader(Run& run, TextSource& source, const ReadOptions& options)
      : run_(run), timeline_(run.timeline), source_(source), options_(options) {}

  void read() {
    PacketStream packets(source_);
    Packet packet;
    for (uint64_t count = 0; packets.next(packet) && timeline_.slices.size() < kNone - 1; ++count) {
      add(packet);
      if (count % 4096 == 0 && options_.progress && source_.stored_bytes() > 0) {
        options_.progress(static_cast<double>(source_.stored_position()) / static_cast<double>(source_.stored_bytes()));
      }
    }
    if (!packets.damage().empty()) {
      run_.notes.add("truncated_input", 1, packets.damage() + "; what comes before it was read", true);
    }
    finish();
  }

  std::shared_ptr<const ArgumentTexts> texts() const { return texts_; }

 private:
  struct Event {
    uint64_t type = 0;
    uint64_t track = 0;
    StringId name = 0;
    double value = 0;
  };
  /// What the categories of a slice say.
  struct Meaning {
    uint16_t category = 0;
    uint8_t flags = 0;
  };
  struct ArrowEnd {
    uint64_t number;
    bool ends;
  };

  void add(const Packet& packet) {
    uint64_t sequence = 0;
    std::optional<int64_t> time;
    std::string_view interned;
    ProtobufField payload;
    ProtobufMessage fields(packet.bytes);
    for (ProtobufField field; fields.next(field);) {
      if (field.number == packet::kTimestamp) time = static_cast<int64_t>(field.integer);
      if (field.number == packet::kSequenceId) sequence = field.integer;
      if (field.number == packet::kInternedData) interned = field.bytes;
      const bool content = field.number == packet::kTrackEvent || field.number == packet::kClockSnapshot ||
                           field.number == packet::kTraceAttributes;
      if (content && field.is_bytes()) payload = field;
    }
    if (sequence == export_marks::kHeaderSequence) {
      ++run_.events.metadata;
      if (payload.number == packet::kClockSnapshot) set_clock(payload.bytes);
      return;
    }
    if (sequence != export_marks::sequence_of_run(options_.run_of_file)) return;
    if (!own_texts_) {
      own_texts_ = std::make_shared<AnnotationTexts>();
      texts_->begin(packet::sequence_key(0, sequence), packet.place, own_texts_);
    }
    intern(interned);
    if (payload.number == packet::kTrackEvent && time && is_time(*time)) return add_event(payload.bytes, *time, packet);
    ++run_.events.metadata;
    if (payload.number != packet::kTraceAttributes) return;
    each_attribute(payload.bytes, [&](std::string_view key, std::string_view value) {
      if (key != export_marks::kRunKey || described_) return;
      described_ = true;
      read_run_description(std::string(protobuf_bytes(value, attribute::kString)), run_);
    });
  }

  void set_clock(std::string_view message) {
    std::optional<uint64_t> boot;
    std::optional<uint64_t> real;
    ProtobufMessage fields(message);
    for (ProtobufField field; fields.next(field);) {
      if (field.number != clock_snapshot::kClocks || !field.is_bytes()) continue;
      const auto id = protobuf_varint(field.bytes, clock::kId);
      const auto time = protobuf_varint(field.bytes, clock::kTimestamp);
      if (id == kBoottime) boot = time;
      if (id == kRealtime) real = time;
    }
    if (!boot || !real) return;
    const auto base = static_cast<int64_t>(*real - *boot);
    if (!is_time(base)) return;
    run_.clock_is_unix = true;
    run_.clock_base = base;
  }

  void intern(std::string_view message) {
    ProtobufMessage fields(message);
    for (ProtobufField field; fields.next(field);) {
      if (!field.is_bytes()) continue;
      const uint64_t iid = protobuf_varint(field.bytes, interned::entry::kIid).value_or(0);
      const std::string_view text = protobuf_bytes(field.bytes, interned::entry::kName);
      if (field.number == interned::kEventCategories) categories_.set(iid, std::string(text));
      if (field.number == interned::kEventNames) names_.set(iid, timeline_.names.intern(valid_utf8(text)));
      if (field.number == interned::kAnnotationNames) own_texts_->names.set(iid, texts_->pool.intern(text));
    }
  }

  void add_event(std::string_view message, int64_t time, const Packet& packet) {
    Event one;
    category_iids_.clear();
    arrows_here_.clear();
    annotations_.clear();
    ProtobufMessage fields(message);
    for (ProtobufField field; fields.next(field);) {
      switch (field.number) {
        case event::kType:
          one.type = field.integer;
          break;
        case event::kTrack:
          one.track = field.integer;
          break;
        case event::kNameIid: {
          const StringId* found = names_.find(field.integer);
          one.name = found ? *found : 0;
          break;
        }
        case event::kDoubleCounterValue:
          one.value = field.number_value();
          break;
        case event::kCategoryIids:
          each_varint(field, [&](uint64_t iid) { category_iids_.push_back(iid); });
          break;
        case event::kAnnotations:
          if (field.is_bytes()) annotations_.push_back(field.bytes);
          break;
        case event::kFlows:
        case event::kTerminatingFlows: {
          const bool ends = field.number == event::kTerminatingFlows;
          each_fixed64(field, [&](uint64_t number) { arrows_here_.push_back({number, ends}); });
          break;
        }
        default:
          break;
      }
    }
    const TrackNumber track = TrackNumber::of(one.track);
    switch (track.what) {
      case TrackNumber::What::slices:
        if (track.index >= timeline_.tracks.size()) break;
        if (one.type == event::kSliceBegin) return begin(one, track.index, time, packet);
        if (one.type == event::kSliceEnd) return end(one.track, time);
        if (one.type == event::kInstant) return add_instant(one, track.index, time);
        break;
      case TrackNumber::What::instants:
        return add_instant(one, kNone, time);
      case TrackNumber::What::counter:
        if (track.index >= timeline_.counters.tracks.size()) break;
        timeline_.counters.track.push_back(track.index);
        timeline_.counters.time.push_back(time);
        timeline_.counters.value.push_back(one.value);
        ++run_.events.counters;
        return;
      case TrackNumber::What::allocator:
        return add_memory(time);
      case TrackNumber::What::derived:
        ++run_.events.metadata;  // it is derived again
        return;
    }
    ++run_.events.skipped;
    run_.notes.add("skipped_event", 1, "events on tracks that the export does not describe were left out");
  }

  void begin(const Event& one, TrackIndex track, int64_t time, const Packet& packet) {
    const Meaning meaning = meaning_of_categories();
    const SliceIndex index = run_.add_slice({.start = time,
                                             .source = source_of(packet.place, *texts_),
                                             .name = one.name,
                                             .track = track,
                                             .category = meaning.category,
                                             .flags = meaning.flags});
    open_[one.track].push_back(index);
    for (const auto& [number, ends] : arrows_here_) {
      arrows_.add(static_cast<FlowKind>(number >> export_marks::kFlowKindShift), number, ends, index);
    }
    const SliceKind kind = timeline_.categories[meaning.category].kind;
    if (!is_call(kind) && !is_device_op(kind) && kind != SliceKind::synchronization && annotations_.empty()) return;
    read_arguments();
    timeline_.slices.correlation[index] = arguments_.integer(Arg::correlation).value_or(kNoCorrelation);
    if (is_device_op(kind)) add_device_op(index);
    if (kind == SliceKind::synchronization) add_synchronization(index);
  }

  void read_arguments() {
    const TextsInUse texts{texts_->pool, own_texts_.get()};
    arguments_.clear();
    for (const std::string_view annotation : annotations_) arguments_.add(annotation, texts);
  }

  /// The kind, the profile's own category, and remarks, in this order.
  Meaning meaning_of_categories() {
    const auto [at, added] = meanings_.try_emplace(category_iids_);
    if (!added) return at->second;
    SliceKind kind = SliceKind::other;
    std::string name;
    for (size_t i = 0; i < category_iids_.size(); ++i) {
      const std::string* found = categories_.find(category_iids_[i]);
      const std::string text = found ? valid_utf8(*found) : "";
      const auto known = i == 0 ? export_marks::kind_of(text) : std::nullopt;
      if (known) kind = *known;
      if (text == export_marks::kNeverEndedCategory) {
        at->second.flags |= kNeverEnded;
      } else if (text == export_marks::kClippedCategory) {
        at->second.flags |= kClipped;
      } else if (text == export_marks::kUnnamedCategory) {
        name.clear();
      } else if (!known || text != export_marks::kOtherCategory) {
        name = text;
      }
    }
    std::vector<Category>& all = timeline_.categories;
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const Category& one) { return one.name == name && one.kind == kind; });
    at->second.category = static_cast<uint16_t>(std::min<size_t>(same - all.begin(), UINT16_MAX));
    if (same == all.end() && all.size() < UINT16_MAX) all.push_back({name, kind});
    return at->second;
  }

  void add_device_op(SliceIndex slice) {
    timeline_.device_ops.append({.slice = slice,
                                 .device = int32_or_none(arguments_.integer(Arg::device)),
                                 .stream = arguments_.integer(Arg::stream).value_or(-1),
                                 .bytes = arguments_.integer(Arg::bytes).value_or(-1),
                                 .copy = copy_kind_named(arguments_.text(Arg::copy_kind)),
                                 .source = memory_kind_named(arguments_.text(Arg::source_memory)),
                                 .destination = memory_kind_named(arguments_.text(Arg::destination_memory))});
    add_collective(slice, arguments_, timeline_);
  }

  void add_synchronization(SliceIndex slice) {
    const auto kind = awaited_kind(arguments_.text(Arg::awaits));
    if (!kind) return;
    timeline_.synchronizations.push_back({slice, *kind, int32_or_none(arguments_.integer(Arg::awaits_device)),
                                          arguments_.integer(Arg::awaits_stream).value_or(-1), kNone});
  }

  void end(uint64_t track, int64_t time) {
    std::vector<SliceIndex>& open = open_[track];
    if (open.empty()) {
      ++run_.events.skipped;
      run_.notes.add("unmatched_end", 1, "ends of slices whose beginning is not in the file were left out");
      return;
    }
    const SliceIndex slice = open.back();
    open.pop_back();
    timeline_.slices.duration[slice] = std::max<int64_t>(time - timeline_.slices.start[slice], 0);
    ++run_.events.ends;
  }

  void add_instant(const Event& one, TrackIndex track, int64_t time) {
    timeline_.instants.push_back({time, one.name, track, InstantScope::thread});
    ++run_.events.instants;
  }

  void add_memory(int64_t time) {
    read_arguments();
    MemoryEvent memory = memory_event_of(time, arguments_);
    const int64_t track = arguments_.integer(Arg::memory_track).value_or(-1);
    if (track >= 0 && track < static_cast<int64_t>(timeline_.tracks.size()))
      memory.track = static_cast<TrackIndex>(track);
    timeline_.memory.push_back(memory);
    ++run_.events.memory;
  }

  void finish() {
    int64_t never_ended = 0;
    int64_t last = INT64_MIN;
    const Slices& slices = timeline_.slices;
    for (SliceIndex i = 0; i < slices.size(); ++i) last = std::max(last, slices.end(i));
    for (const auto& [track, open] : open_) {
      for (const SliceIndex slice : open) {
        timeline_.slices.duration[slice] = last - slices.start[slice];
        timeline_.slices.flags[slice] |= kNeverEnded;
        ++never_ended;
      }
    }
    run_.notes.add("unmatched_begin", never_ended,
                   "slices whose end is not in the file last until the last moment of the trace");
    arrows_.join(run_);
    timeline_.hints.all_launches_known = true;
    EventCounts& events = run_.events;
    events.read = events.slices + events.ends + events.instants + events.samples + events.memory + events.counters +
                  events.flows + events.metadata + events.skipped;
  }

  Run& run_;
  Timeline& timeline_;
  TextSource& source_;
  const ReadOptions& options_;
  bool described_ = false;
  std::shared_ptr<ArgumentTexts> texts_ = std::make_shared<ArgumentTexts>();
  std::shared_ptr<AnnotationTexts> own_texts_;
  IdTable<std::string> categories_;
  IdTable<StringId> names_;
  std::map<std::vector<uint64_t>, Meaning> meanings_;
  std::unordered_map<uint64_t, std::vector<SliceIndex>> open_;  // by track, the innermost last
  ExportArrows arrows_;

  // The event at hand; members so that their memory is used again.
  std::vector<uint64_t> category_iids_;
  std::vector<std::string_view> annotations_;
  std::vector<ArrowEnd> arrows_here_;
  KnownArguments arguments_;
};

}  // namespace

size_t runs_of_export(const Input& input) {
  const std::string_view first = protobuf_bytes(input.head, trace::kPacket);
  bool is_export = false;
  uint64_t runs = 0;
  each_attribute(protobuf_bytes(first, packet::kTraceAttributes), [&](std::string_view key, std::string_view value) {
    const uint64_t number = protobuf_varint(value, attribute::kLong).value_or(0);
    if (key == export_marks::kVersionKey) is_export = number == export_marks::kVersion;
    if (key == export_marks::kRunsKey) runs = number;
  });
  constexpr uint64_t kMostRuns = uint64_t{1} << TrackNumber::kRunBits;
  constexpr uint64_t kLeastBytes = 20;  // of a run, packed: each costs a pass over the file
  return is_export && runs <= kMostRuns && runs * kLeastBytes <= input.source->stored_bytes()
             ? static_cast<size_t>(runs)
             : 0;
}

Run read_export(const Input& input, const ReadOptions& options) {
  Run run = new_run(input.path, "perfetto");
  if (options.run_of_file == 0) run.input_bytes = input.source->stored_bytes();
  ExportReader reader(run, *input.source, options);
  reader.read();
  if (!input.source->damage().empty()) run.notes.add("truncated_input", 1, input.source->damage(), true);
  if (options.run_of_file == 0) run.text_bytes = input.source->text_position();
  run.arguments = make_argument_source(input.source, input.path, reader.texts(), {});
  return run;
}

}  // namespace cgpu::perfetto
