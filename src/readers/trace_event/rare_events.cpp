// Events of other programs' Chrome traces: the phases and keys that PyTorch's do not have.
#include "readers/trace_event/event_parser.h"
#include "readers/trace_event/json_value.h"
#include "readers/trace_event/packed_key.h"

namespace cgpu::trace_event {

bool EventParser::read_rare_key(const char* key, simdjson::ondemand::value value, Event& event) {
  const auto target = [&]() -> RareKeys& {
    if (!event.has_rare) event.rare = {};
    event.has_rare = true;
    return event.rare;
  };
  switch (packed_at(key)) {
    case packed("s"):
      target().instant_scope = text_of(value);
      break;
    case packed("bp"):
      target().binding_point = text_of(value);
      break;
    case packed("tdur"):
      target().thread_duration = text_of(value);
      break;
    case packed("scope"):
      target().scope = text_of(value);
      break;
    case packed("sf"):
      target().frame = text_of(value);
      break;
    case packed("bind_id"):
      target().flow = text_of(value);
      break;
    case packed("flow_in"):
      target().flow_in = text_of(value) != "false";
      break;
    case packed("flow_out"):
      target().flow_out = text_of(value) != "false";
      break;
    case packed("cgpu_category"):
      target().own_category = text_of(value);
      break;
    case packed("cgpu_flags"):
      target().flags = text_of(value);
      break;
    case packed("cgpu_correlation"):
      target().correlation = text_of(value);
      break;
    case packed("id2"): {
      simdjson::ondemand::object object;
      if (!value.raw_json_token().starts_with('{')) break;
      if (value.get_object().get(object)) return false;
      for (auto field_or_error : object) {
        simdjson::ondemand::field field;
        if (std::move(field_or_error).get(field)) return false;
        const bool local = is_key(field.key().raw(), "local");
        (local ? target().local_id : event.id) = text_of(field.value());
      }
      break;
    }
    default:
      break;
  }
  return true;
}

void EventParser::add_rare(const Event& event, uint64_t source, Batch& batch) {
  const auto skip = [&](Loss loss) {
    ++batch.counts.skipped;
    batch.lose(loss);
  };
  switch (event.phase) {
    case 'B':
      return add_part(PartKind::begin, event, source, batch);
    case 'E':
      return add_part(PartKind::end, event, source, batch);
    case 'b':
    case 'S':
      return add_part(PartKind::async_begin, event, source, batch);
    case 'e':
    case 'F':
      return add_part(PartKind::async_end, event, source, batch);
    case 'n':
    case 'T':
    case 'p':
      return add_part(PartKind::async_instant, event, source, batch);
    case 'P':
      if (event.name == "Profile" || event.name == "ProfileChunk") {
        return add_part(PartKind::cpu_profile, event, source, batch);
      }
      if (event.has_rare && !event.rare.frame.empty()) return add_part(PartKind::sample, event, source, batch);
      return skip(Loss::no_stack);
    case 'N':
    case 'O':
    case 'D':
      return skip(Loss::object);
    case 'v':
    case 'V':
      return skip(Loss::memory_dump);
    case 'c':
    case '(':
    case ')':
    case '=':
      return skip(Loss::mark);
    default:
      return skip(Loss::unknown_phase);
  }
}

void EventParser::add_slice_without_duration(const Event& event, uint64_t source, Batch& batch) {
  if (!event.has_rare || event.rare.thread_duration.empty()) {
    return add_part(PartKind::unended, event, source, batch);
  }
  batch.lose(Loss::thread_duration);
  Event whole = event;
  whole.duration = event.rare.thread_duration;
  add_slice(whole, source, batch);
}

void EventParser::add_part(PartKind kind, const Event& event, uint64_t source, Batch& batch) {
  const auto at = time(event.time, batch);
  if (!at) {
    if (!is_flow(kind)) ++batch.counts.skipped;
    return;
  }
  Part part{};
  part.time = *at;
  part.source = source;
  part.track = track(event);
  const bool has_step = kind == PartKind::async_instant && event.has(step);
  part.name = intern_json(has_step ? event.args[step] : event.name);
  if (kind == PartKind::cpu_profile) {
    part.key = static_cast<uint32_t>(batch.cpu_profiles.size());
    batch.cpu_profiles.push_back({std::string(event.id), std::string(event.sample_args)});
  } else {
    part.key = part_key(kind, event);
  }
  KnownCategory& category = category_of(event.category);
  part.category = category_number(category, is_host(category.kind) ? category.kind : SliceKind::other);
  part.kind = kind;
  batch.parts.push_back(part);
  const bool begins = kind == PartKind::begin || kind == PartKind::unended;
  if (begins && event.has_rare) add_flow_of_slice(event, source, batch);
}

void EventParser::add_flow_of_slice(const Event& event, uint64_t source, Batch& batch) {
  const RareKeys& rare = event.rare;
  if (rare.flow.empty() || (!rare.flow_in && !rare.flow_out)) return;
  const PartKind kind = rare.flow_in && rare.flow_out ? PartKind::flow_step
                        : rare.flow_out               ? PartKind::flow_start
                                                      : PartKind::flow_enclosed;
  add_part(kind, event, source, batch);
}

/// What the parts of one whole have in common. Ids are those of the whole trace, unless they are said to be local to
/// their process.
StringId EventParser::part_key(PartKind kind, const Event& event) {
  const bool flow = is_flow(kind);
  const bool async = kind == PartKind::async_begin || kind == PartKind::async_end || kind == PartKind::async_instant;
  if (kind == PartKind::sample) return tables_.part_keys.intern(event.rare.frame);
  if (!flow && !async) return 0;
  scratch_.clear();
  const auto add = [&](std::string_view part) { scratch_.append(part).push_back(kKeySeparator); };
  if (flow && event.has_rare && !event.rare.flow.empty()) {
    add("bind");
    add(event.rare.flow);
    return tables_.part_keys.intern(scratch_);
  }
  const bool old = event.phase == 'S' || event.phase == 'T' || event.phase == 'p' || event.phase == 'F';
  add(flow ? "flow" : old ? "S" : "b");
  add(event.category);
  if (flow) add(event.name);
  add(event.id);
  if (event.has_rare) {
    add(event.rare.scope);
    if (!event.rare.local_id.empty()) {
      add(event.rare.local_id);
      add(event.process);
    }
  } else {
    add("");
  }
  return tables_.part_keys.intern(scratch_);
}

}  // namespace cgpu::trace_event
