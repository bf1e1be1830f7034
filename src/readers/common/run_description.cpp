#include "readers/common/run_description.h"

#include <charconv>
#include <utility>
#include <vector>

#include "base/memory_text.h"
#include "readers/common/json_reader.h"

namespace cgpu {

namespace {

using Token = JsonReader::Token;

class DescriptionReader {
 public:
  DescriptionReader(const std::string& text, Run& run) : source_(text), json_(source_), run_(run) {}

  void read() {
    if (json_.next() != Token::begin_object) return;
    json_.each_member([&](std::string_view key) {
      if (key == "rank") return set(run_.rank);
      if (key == "rank_known") return set(run_.rank_known);
      if (key == "world_size") return set(run_.world_size);
      if (key == "host") return set(run_.host);
      if (key == "profile_format") return set(run_.exported_from);
      if (key == "metadata") return read_metadata();
      if (key == "notes") return read_notes();
      if (key == "kernels_compute") return set(run_.timeline.hints.kernels_compute);
      if (key == "devices") return each_object([&] { read_device(run_.devices.emplace_back()); });
      if (key == "groups") return each_object([&] { read_group(run_.groups.emplace_back()); });
      if (key == "step_traces") return each_object([&] { read_step(run_.step_traces.emplace_back()); });
      if (key == "tracks") return each_object([&] { read_track(run_.timeline.tracks.emplace_back()); });
      if (key == "counters") return each_object([&] { read_counter(run_.timeline.counters.tracks.emplace_back()); });
      pass();
    });
  }

 private:
  void pass() {
    json_.next();
    json_.skip();
  }
  void set(std::string& to) {
    if (json_.next() == Token::string) {
      to = json_.text();
    } else {
      json_.skip();
    }
  }
  void set(bool& to) {
    json_.next();
    to = json_.text() == "true";
    json_.skip();
  }
  template <typename Number>
  void set_number(Number& to) {
    if (json_.next() == Token::number) {
      const std::string_view digits = json_.text();
      std::from_chars(digits.data(), digits.data() + digits.size(), to);
    } else {
      json_.skip();
    }
  }
  void set(int64_t& to) { set_number(to); }
  void set(int32_t& to) { set_number(to); }
  void set(std::optional<int64_t>& to) { set_number(to.emplace(0)); }

  template <typename Read>
  void each_object(Read read) {
    if (json_.next() != Token::begin_array) return json_.skip();
    json_.each_object(read);
  }

  /// Pairs of a name and a text.
  void read_metadata() {
    if (json_.next() != Token::begin_array) return json_.skip();
    json_.each_element([&](Token pair) {
      if (pair != Token::begin_array) return json_.skip();
      std::vector<std::string> texts;
      json_.each_element([&](Token token) {
        if (token == Token::string) return void(texts.emplace_back(json_.text()));
        json_.skip();
      });
      if (texts.size() == 2) run_.metadata.emplace_back(std::move(texts[0]), std::move(texts[1]));
    });
  }

  void read_notes() {
    each_object([&] {
      Note note;
      json_.each_member([&](std::string_view key) {
        if (key == "code") return set(note.code);
        if (key == "count") return set(note.count);
        if (key == "text") return set(note.text);
        if (key == "damage") return set(note.damage);
        pass();
      });
      if (!note.code.empty() && note.count > 0) run_.notes.keep(std::move(note));
    });
  }

  void read_device(Device& device) {
    json_.each_member([&](std::string_view key) {
      if (key == "id") return set(device.id);
      if (key == "name") return set(device.name);
      if (key == "vendor") return set(device.vendor);
      if (key == "sm_count") return set(device.sm_count);
      if (key == "memory_bytes") return set(device.memory_bytes);
      if (key == "warp_size") return set(device.warp_size);
      if (key == "compute_capability") return set(device.compute_capability);
      pass();
    });
  }

  void read_group(ParallelGroup& group) {
    json_.each_member([&](std::string_view key) {
      if (key == "name") return set(group.name);
      if (key == "description") return set(group.description);
      if (key == "backend") return set(group.backend);
      if (key == "size") return set(group.size);
      if (key == "place") return set(group.place);
      if (key != "ranks") return pass();
      if (json_.next() != Token::begin_array) return json_.skip();
      json_.each_element([&](Token token) {
        if (token != Token::number) return json_.skip();
        const std::string_view digits = json_.text();
        int64_t& rank = group.ranks.emplace_back(0);
        std::from_chars(digits.data(), digits.data() + digits.size(), rank);
      });
    });
  }

  void read_step(StepTrace& step) {
    json_.each_member([&](std::string_view key) {
      if (key == "device") return set(step.device);
      if (key == "step") return set(step.step);
      if (key == "computing") return set(step.computing);
      if (key == "communication") return set(step.communication);
      if (key == "not_overlapped") return set(step.not_overlapped);
      if (key == "overlapped") return set(step.overlapped);
      if (key == "free") return set(step.free);
      pass();
    });
  }

  void read_track(Track& track) {
    json_.each_member([&](std::string_view key) {
      if (key == "process") return set(track.process);
      if (key == "thread") return set(track.thread);
      if (key == "process_name") return set(track.process_name);
      if (key == "thread_name") return set(track.thread_name);
      if (key == "rank") return set(track.rank);
      if (key == "kind") {
        std::string kind;
        set(kind);
        track.kind = kind == "thread"   ? TrackKind::host_thread
                     : kind == "stream" ? TrackKind::device_stream
                                        : TrackKind::other;
        return;
      }
      if (key != "above") return pass();
      if (json_.next() != Token::begin_array) return json_.skip();
      json_.each_element([&](Token token) {
        if (token != Token::string) return json_.skip();
        track.above.emplace_back(json_.text());
      });
    });
  }

  void read_counter(CounterTrack& counter) {
    json_.each_member([&](std::string_view key) {
      if (key == "process") return set(counter.process);
      if (key == "name") return set(counter.name);
      pass();
    });
  }

  MemoryText source_;
  JsonReader json_;
  Run& run_;
};

}  // namespace

void read_run_description(const std::string& text, Run& run) {
  DescriptionReader(text, run).read();
}

}  // namespace cgpu
