#include "model/arguments.h"

#include <algorithm>

#include "base/credentials.h"
#include "model/timeline.h"

namespace cgpu {

void ArgumentBatch::clear() {
  begins_.clear();
  values_.clear();
  text_.clear();
}

void ArgumentBatch::add(std::string_view key, std::string_view value, bool json) {
  if (is_name(key)) take_name(value);
  if (!is_chosen(key)) return;
  const uint32_t number = number_of(key);
  const bool named = !name_.empty() && key == kValueOfName && is_secret_value_of(name_, value);
  if (named || (keys_[number].secret && is_secret_value_of(key, value))) {
    value = kHiddenValue;
    json = false;
    ++hidden_;
  } else if (const size_t found = hide_secrets_in(value); found != 0) {
    value = without_secrets_;
    hidden_ += static_cast<int64_t>(found);
  }
  values_.push_back({number, json, text_.size(), value.size()});
  text_.append(value);
}

size_t ArgumentBatch::hide_secrets_in(std::string_view value) {
  constexpr size_t kLongest = 256;  // of those that are kept
  std::string& clean = clean_[std::hash<std::string_view>{}(value) % clean_.size()];
  if (value == clean) return 0;
  const size_t found = hide_secrets(value, without_secrets_);
  if (found == 0 && value.size() <= kLongest) clean = value;
  return found;
}

void ArgumentBatch::take_name(std::string_view name) {
  if (!is_secret_key(name)) return;
  name_ = name;
  for (size_t i = begins_.empty() ? 0 : begins_.back(); i < values_.size(); ++i) {  // where the value came first
    Value& value = values_[i];
    if (keys_[value.key].text != kValueOfName || !is_secret_value_of(name, text(value))) continue;
    value = {value.key, false, text_.size(), kHiddenValue.size()};
    text_.append(kHiddenValue);
    ++hidden_;
  }
}

uint32_t ArgumentBatch::number_of(std::string_view key) {
  if (last_ < keys_.size() && keys_[last_].next < keys_.size()) {
    const uint32_t likely = keys_[last_].next;
    if (keys_[likely].text == key) return last_ = likely;  // a key that was changed is found below
  }
  const auto [at, added] = [&] {
    const auto known = numbers_.find(key);
    if (known != numbers_.end()) return std::pair(known, false);
    return numbers_.emplace(key, static_cast<uint32_t>(keys_.size()));
  }();
  if (added) {
    const bool has_secret = hide_secrets(key, without_secrets_) != 0;
    keys_.push_back({has_secret ? without_secrets_ : std::string(key), is_secret_key(key)});
  }
  keys_[last_].next = at->second;
  return last_ = at->second;
}

void ArgumentSource::read(std::span<const uint64_t> sources, ArgumentBatch& batch) {
  const auto end = std::lower_bound(sources.begin(), sources.end(), kNoSource);
  const int64_t before = batch.hidden();
  read_events(sources.first(static_cast<size_t>(end - sources.begin())), batch);
  hidden_.fetch_add(batch.hidden() - before, std::memory_order_relaxed);
  for (auto none = end; none != sources.end(); ++none) batch.begin_event();
}

std::vector<Argument> ArgumentSource::arguments(uint64_t source) {
  ArgumentBatch batch;
  read(std::span(&source, 1), batch);
  std::vector<Argument> arguments;
  for (const ArgumentBatch::Value& value : batch.event(0)) {
    arguments.push_back({batch.key(value.key), std::string(batch.text(value)), value.json});
  }
  return arguments;
}

}  // namespace cgpu
