#include "model/argument_reader.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <numeric>
#include <utility>

#include "base/threads.h"

namespace cgpu {

ArgumentReader::ArgumentReader(ArgumentSource* source, unsigned threads, std::vector<std::string> only)
    : source_(source), threads_(thread_count(threads)), only_(std::move(only)) {
  if (source_ != nullptr && !source_->is_parallel()) threads_ = 1;
}

void ArgumentReader::run(std::span<const uint64_t> sources, const std::function<void(size_t, const Group&)>& use) {
  Group now;
  Group next;
  const auto group_at = [&](size_t first) { return sources.subspan(first, std::min(kGroup, sources.size() - first)); };
  if (!sources.empty()) read(group_at(0), now);
  for (size_t first = 0; first < sources.size(); first += kGroup) {
    std::future<void> ahead;
    if (first + kGroup < sources.size()) {
      ahead = in_background([&, first] { read(group_at(first + kGroup), next); });
    }
    use(first, now);
    if (ahead.valid()) ahead.get();
    std::swap(now, next);
  }
}

void ArgumentReader::read(std::span<const uint64_t> sources, Group& group) {
  group.place.resize(sources.size());
  if (source_ == nullptr) return;
  std::vector<uint32_t> order(sources.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return sources[a] < sources[b]; });
  std::vector<uint64_t> sorted(sources.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    group.place[order[i]] = i;
    sorted[i] = sources[order[i]];
  }
  group.pieces.resize((sources.size() + kPiece - 1) / kPiece);
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < group.pieces.size(); i = next++) {
      const size_t first = i * kPiece;
      group.pieces[i].batch.clear();
      group.pieces[i].batch.only(only_);
      source_->read(std::span(sorted).subspan(first, std::min(kPiece, sorted.size() - first)), group.pieces[i].batch);
      number_keys(group.pieces[i]);
    }
  };
  std::vector<std::future<void>> others;
  for (size_t i = 1; i < std::min<size_t>(threads_, group.pieces.size()); ++i) {
    others.push_back(in_background(work));
  }
  work();
  for (std::future<void>& other : others) other.get();
}

uint32_t ArgumentReader::number_of(const std::string& key) {
  const std::lock_guard lock(mutex_);
  return numbers_.emplace(key, static_cast<uint32_t>(numbers_.size())).first->second;
}

void ArgumentReader::number_keys(Piece& piece) {
  while (piece.numbers.size() < piece.batch.keys()) {
    piece.numbers.push_back(number_of(piece.batch.key(static_cast<uint32_t>(piece.numbers.size()))));
  }
}

std::span<const ArgumentView> ArgumentReader::views_of(const Group& group, size_t event) {
  views_.clear();
  if (source_ == nullptr) return views_;
  const uint32_t place = group.place[event];
  const Piece& piece = group.pieces[place / kPiece];
  for (const ArgumentBatch::Value& value : piece.batch.event(place % kPiece)) {
    views_.push_back({piece.numbers[value.key], piece.batch.key(value.key), piece.batch.text(value), value.json});
  }
  return views_;
}

}  // namespace cgpu
