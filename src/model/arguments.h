// The arguments of events: what a profile says about an event besides its name and its times.
//
// The model does not keep them; it keeps their position in the profile (Slices::source). They are read again for a
// single event when it is looked at, or in batches for all events (model/argument_reader.h).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cgpu {

/// One argument of an event, as written in the profile (strings unquoted, everything else as JSON text).
struct Argument {
  std::string key;
  std::string value;
  bool json = false;  // the value is JSON text (a number, array, ...), not a string
};

/// The arguments of many events in few allocations. Credentials in values (base/credentials.h) are replaced when they
/// are added, and counted.
class ArgumentBatch {
 public:
  struct Value {
    uint32_t key = 0;  // its number among the keys of this batch
    bool json = false;
    size_t at = 0;  // position in the text of the batch
    size_t size = 0;
  };

  /// Forgets the events; the keys keep their numbers.
  void clear();
  /// From here on arguments with other keys are not added. `keys` must outlive the batch; empty for all.
  void only(std::span<const std::string> keys) {
    only_ = keys;
    wants_value_ = is_chosen(kValueOfName);
  }
  /// Whether an argument with this key is added: what is not, need not be read.
  bool wants(std::string_view key) const { return is_chosen(key) || (wants_value_ && is_name(key)); }
  /// What is added from here on belongs to the next event.
  void begin_event() {
    begins_.push_back(values_.size());
    name_.clear();
  }
  void add(std::string_view key, std::string_view value, bool json);

  size_t events() const { return begins_.size(); }
  std::span<const Value> event(size_t number) const {
    const size_t end = number + 1 < begins_.size() ? begins_[number + 1] : values_.size();
    return std::span(values_).subspan(begins_[number], end - begins_[number]);
  }
  std::string_view text(const Value& value) const { return std::string_view(text_).substr(value.at, value.size); }
  size_t keys() const { return keys_.size(); }
  const std::string& key(uint32_t number) const { return keys_[number].text; }
  /// How many credentials were hidden since the batch was made.
  int64_t hidden() const { return hidden_; }

 private:
  struct Key {
    std::string text;
    bool secret = false;
    uint32_t next = 0;  // the key that followed this one last time, and probably follows it again
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  // An event may say what a value is in another argument: "name": "DB_PASSWORD", "value": "...".
  static constexpr std::string_view kValueOfName = "value";
  static bool is_name(std::string_view key) { return key == "name" || key == "key"; }

  bool is_chosen(std::string_view key) const {
    return only_.empty() || std::find(only_.begin(), only_.end(), key) != only_.end();
  }
  uint32_t number_of(std::string_view key);
  void take_name(std::string_view name);
  /// As hide_secrets of base/credentials.h, which writes to without_secrets_.
  size_t hide_secrets_in(std::string_view value);

  std::span<const std::string> only_;
  std::vector<Key> keys_;
  std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>> numbers_;
  uint32_t last_ = 0;
  std::vector<size_t> begins_;
  std::vector<Value> values_;
  std::string text_;
  std::string without_secrets_;
  std::array<std::string, 64> clean_;  // values without credentials, by their hash: most come again and again
  std::string name_;                   // of this event's value, where it names a secret
  bool wants_value_ = false;
  int64_t hidden_ = 0;
};

/// Reads the arguments of events from the profile again.
class ArgumentSource {
 public:
  virtual ~ArgumentSource() = default;
  /// Adds the arguments of events to `batch`, in the order of `sources` (Slices::source), which must not fall: that is
  /// the cheap order. What has no source (kNoSource) has no arguments. Throws Error where the file has changed or
  /// vanished.
  void read(std::span<const uint64_t> sources, ArgumentBatch& batch);
  /// Whether several threads may call `read` at once, and gain by it.
  virtual bool is_parallel() const { return false; }

  /// The arguments of one event. Throws Error as `read` does.
  std::vector<Argument> arguments(uint64_t source);

  /// How many credentials were hidden in what has been read so far.
  int64_t hidden() const { return hidden_.load(std::memory_order_relaxed); }

 private:
  /// As `read`, of events that have a source.
  virtual void read_events(std::span<const uint64_t> sources, ArgumentBatch& batch) = 0;

  std::atomic<int64_t> hidden_ = 0;
};

}  // namespace cgpu
