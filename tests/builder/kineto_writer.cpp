#include "kineto_writer.h"

#include <algorithm>
#include <charconv>

namespace cgpu::builder {

namespace {

constexpr size_t kBufferBytes = 1 << 20;

}  // namespace

void append_integer(std::string& text, int64_t value) {
  char digits[20];
  const auto result = std::to_chars(digits, digits + sizeof digits, value);
  text.append(digits, result.ptr);
}

void append_string(std::string& text, std::string_view value) {
  text += '"';
  for (char c : value) {
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char kHex[] = "0123456789abcdef";
      text += "\\u00";
      text += kHex[c >> 4];
      text += kHex[c & 15];
    } else {
      text += c;
    }
  }
  text += '"';
}

std::string& Members::member(std::string_view key) {
  if (!text_.empty()) text_ += ", ";
  text_ += '"';
  text_ += key;
  text_ += "\": ";
  return text_;
}

Members& Members::integer(std::string_view key, int64_t value) {
  append_integer(member(key), value);
  return *this;
}

Members& Members::add(std::string_view key, std::string_view text) {
  append_string(member(key), text);
  return *this;
}

Members& Members::raw(std::string_view key, std::string_view json) {
  member(key) += json;
  return *this;
}

Members& Members::splice(std::string_view members) {
  if (!text_.empty() && !members.empty()) text_ += ", ";
  text_ += members;
  return *this;
}

void KinetoWriter::shuffle(size_t events, uint64_t seed) {
  window_ = events;
  order_ = Random(seed);
}

void KinetoWriter::begin(const Members& header) {
  buffer_ += "{\n  ";
  buffer_ += header.text();
  buffer_ += header.empty() ? "" : ",\n  ";
  buffer_ += "\"traceEvents\": [";
}

void KinetoWriter::begin_array() {
  buffer_ += '[';
}

void KinetoWriter::slice(std::string_view category, std::string_view name, const Row& row, int64_t start,
                         int64_t duration, const Members& members) {
  ++counts_.slices;
  first_slice_ = std::min(first_slice_, start);
  std::string& text = open();
  text += "{\n    \"ph\": \"X\", \"cat\": \"";
  text += category;
  text += "\", \"name\": ";
  append_string(text, name);
  text += ", ";
  row_and_time(text, row, start);
  text += ", \"dur\": ";
  time(text, duration);
  args(text, members);
  close();
}

void KinetoWriter::flow(bool start, int64_t id, std::string_view category, std::string_view name, const Row& row,
                        int64_t when) {
  ++counts_.flows;
  std::string& text = open();
  text += start ? "{\n    \"ph\": \"s\", \"id\": " : "{\n    \"ph\": \"f\", \"id\": ";
  append_integer(text, id);
  text += ", \"pid\": ";
  text += row.pid;
  text += ", \"tid\": ";
  text += row.tid;
  text += ", \"ts\": ";
  time(text, when);
  text += ",\n    \"cat\": \"";
  text += category;
  text += "\", \"name\": \"";
  text += name;
  text += start ? "\"\n  }" : "\", \"bp\": \"e\"\n  }";
  close();
}

void KinetoWriter::instant(std::string_view category, std::string_view name, const Row& row, int64_t when,
                           std::string_view scope, const Members& members) {
  ++counts_.instants;
  std::string& text = open();
  text += "{\n    \"ph\": \"i\", ";
  if (!category.empty()) {
    text += "\"cat\": \"";
    text += category;
    text += "\", ";
  }
  text += "\"s\": \"";
  text += scope;
  text += "\", \"name\": ";
  append_string(text, name);
  text += ", ";
  row_and_time(text, row, when);
  args(text, members);
  close();
}

void KinetoWriter::memory(std::string_view category, const Row& row, int64_t when, const Members& members) {
  instant(category, "[memory]", row, when, "t", members);
  --counts_.instants;
  ++counts_.memory;
}

void KinetoWriter::counter(std::string_view name, const Row& row, int64_t when, const Members& values) {
  ++counts_.counters;
  std::string& text = open();
  text += "{\n    \"ph\": \"C\", \"name\": ";
  append_string(text, name);
  text += ", ";
  row_and_time(text, row, when);
  args(text, values);
  close();
}

void KinetoWriter::metadata(std::string_view name, const Row& row, int64_t when, const Members& members) {
  ++counts_.metadata;
  std::string& text = open();
  text += "{\n    \"name\": \"";
  text += name;
  text += "\", \"ph\": \"M\", \"ts\": ";
  time(text, when);
  text += ", \"pid\": ";
  text += row.pid;
  text += ", \"tid\": ";
  text += row.tid;
  args(text, members);
  close();
}

void KinetoWriter::event(std::initializer_list<Member> members) {
  std::string& text = open();
  text += '{';
  bool first = true;
  for (const auto& [key, json] : members) {
    if (!first) text += ", ";
    first = false;
    append_string(text, key);
    text += ": ";
    text += json;
  }
  text += '}';
  close();
}

void KinetoWriter::raw(std::string_view json) {
  open() += json;
  close();
}

void KinetoWriter::end(const Members& footer) {
  drain();
  buffer_ += "\n  ]";
  buffer_ += footer.empty() ? "" : ",\n  ";
  buffer_ += footer.text();
  buffer_ += "\n}\n";
  spill(true);
}

void KinetoWriter::end_array() {
  drain();
  buffer_ += "\n]\n";
  spill(true);
}

void KinetoWriter::stop() {
  drain();
  spill(true);
}

std::string& KinetoWriter::open() {
  if (window_ > 0) return pending_;
  separate();
  return buffer_;
}

void KinetoWriter::close() {
  if (window_ == 0) return spill(false);
  if (waiting_.size() < window_) {
    waiting_.push_back(pending_);
  } else {
    std::string& slot = waiting_[static_cast<size_t>(order_.next() % window_)];
    separate();
    buffer_ += slot;
    slot.swap(pending_);
    spill(false);
  }
  pending_.clear();
}

void KinetoWriter::drain() {
  while (!waiting_.empty()) {
    std::swap(waiting_[static_cast<size_t>(order_.next() % waiting_.size())], waiting_.back());
    separate();
    buffer_ += waiting_.back();
    waiting_.pop_back();
    spill(false);
  }
}

void KinetoWriter::separate() {
  buffer_ += first_ ? "\n  " : ",\n  ";
  first_ = false;
}

void KinetoWriter::spill(bool all) {
  if (!all && buffer_.size() < kBufferBytes) return;
  sink_.write(buffer_);
  buffer_.clear();
}

void KinetoWriter::time(std::string& text, int64_t ns) const {
  append_integer(text, ns / 1000);
  if (style_ == TimeStyle::whole_microseconds) return;
  const int64_t rest = ns % 1000;
  const char decimals[] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                           static_cast<char>('0' + rest % 10)};
  text.append(decimals, sizeof decimals);
}

void KinetoWriter::row_and_time(std::string& text, const Row& row, int64_t start) const {
  text += "\"pid\": ";
  text += row.pid;
  text += ", \"tid\": ";
  text += row.tid;
  text += ",\n    \"ts\": ";
  time(text, start);
}

void KinetoWriter::args(std::string& text, const Members& members) const {
  if (!members.empty()) {
    text += ",\n    \"args\": {\n      ";
    text += members.text();
    text += "\n    }";
  }
  text += "\n  }";
}

}  // namespace cgpu::builder
