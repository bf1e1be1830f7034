#include "links/messages.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/contains.h"
#include "links/common_time.h"
#include "model/plausible.h"

namespace cgpu {

namespace {

/// The lower one in so many durations is what a message takes by itself.
constexpr size_t kLowerTwentieth = 20;
/// ns; a shorter wait says nothing of who is late.
constexpr int64_t kNoticeableWait = 10'000;
/// Fewer exchanges do not show who the partners of a thread are.
constexpr size_t kFewestExchanges = 4;
/// One in so many exchanges may contradict a partner: clocks are not exact.
constexpr size_t kContradictions = 50;
/// More partners of one thread are not looked for: a cube has 26 neighbours.
constexpr size_t kMostPartners = 32;
/// So many are counted for that, at most: of thousands of threads any may have been last by chance.
constexpr size_t kMostCandidates = 256;

/// What a call does with messages.
struct MessageRole {
  bool starts = false;  // a message, to be waited for by another call, or by itself
  bool sends = false;
  bool waits = false;

  bool any() const { return starts || sends || waits; }
};

MessageRole role_of(std::string_view name) {
  if (name.starts_with("PMPI_")) name.remove_prefix(1);
  if (!name.starts_with("MPI_")) return {};
  const std::string_view call = name.substr(4);
  if (is_any(call, {"Isend", "Issend", "Irsend", "Ibsend", "Bsend", "Start", "Startall"})) return {true, true, false};
  if (is_any(call, {"Isendrecv", "Isendrecv_replace"})) return {true, true, false};
  if (is_any(call, {"Irecv", "Imrecv"})) return {true, false, false};
  if (is_any(call, {"Send", "Ssend", "Rsend", "Sendrecv", "Sendrecv_replace"})) return {true, true, true};
  if (is_any(call, {"Wait", "Waitall", "Waitany", "Waitsome", "Recv", "Mrecv", "Probe", "Mprobe"})) {
    return {false, false, true};
  }
  return {};
}

/// A call that only sends may have to wait until its message is taken, but what it sends is not waited for here.
bool is_blocking_send(const MessageRole& role, std::string_view name) {
  return role.waits && role.sends && !contains_any(name, {"recv"});
}

/// The lower 5th percentile.
int64_t lower_twentieth(std::vector<int64_t> times) {
  const auto low = times.begin() + static_cast<std::ptrdiff_t>(times.size() / kLowerTwentieth);
  std::nth_element(times.begin(), low, times.end());
  return *low;
}

/// Each wait lasts as long as those of its name, at the least, do in this thread; the rest is waiting for other ranks.
void find_waiting(const Timeline& timeline, MessagesOfThread& thread) {
  std::map<StringId, std::vector<int64_t>> durations;
  const auto name_of = [&](const MessageWait& wait) { return timeline.slices.name[wait.call]; };
  for (const MessageWait& wait : thread.waits) durations[name_of(wait)].push_back(wait.end - wait.start);
  std::map<StringId, int64_t> own;
  for (auto& [name, times] : durations) own[name] = std::max<int64_t>(lower_twentieth(std::move(times)), 1);
  for (MessageWait& wait : thread.waits) wait.until = std::max(wait.start, wait.end - own.at(name_of(wait)));
}

/// Threads of a session whose exchanges belong together: they have equally many.
using Peers = std::vector<Messages::Thread*>;

class PartnersOfPeers {
 public:
  PartnersOfPeers(const Session& session, const Peers& peers) : session_(session), peers_(peers) {
    exchanges_ = peers.front()->messages.exchanges.size();
    for (const Messages::Thread* peer : peers) {
      OutOfCoreVector<int64_t>& ends = ends_.emplace_back(exchanges_, INT64_MIN);
      for (const MessageWait& wait : peer->messages.waits) {
        int64_t& end = ends[wait.exchange];
        end = std::max(end, common_time(session.runs[peer->run], wait.end));
      }
    }
  }

  void find() {
    add_waiting();
    std::vector<std::unordered_map<size_t, size_t>> last(peers_.size());  // by thread: who was last, how often
    std::vector<std::pair<int64_t, size_t>> sends;
    for (size_t exchange = 0; exchange < exchanges_; ++exchange) {
      sends.clear();
      for (size_t i = 0; i < peers_.size(); ++i) {
        if (has_send(i, exchange)) sends.emplace_back(send_of(i, exchange), i);
      }
      std::sort(sends.begin(), sends.end());
      for (size_t i = 0; i < peers_.size(); ++i) {
        if (waited_[i][exchange] - own_ < kNoticeableWait) continue;
        auto at = std::lower_bound(sends.begin(), sends.end(), std::pair(ends_[i][exchange], size_t{0}));
        while (at != sends.begin() && peers_[std::prev(at)->second]->run == peers_[i]->run) --at;
        if (at == sends.begin()) continue;
        const size_t sender = std::prev(at)->second;
        if (last[i].size() < kMostCandidates || last[i].contains(sender)) ++last[i][sender];
      }
    }
    waited_.clear();
    for (size_t i = 0; i < peers_.size(); ++i) add_senders(i, partners_of(i, std::exchange(last[i], {})));
  }

 private:
  /// A thread may wait for a slow one each time: what an exchange takes by itself the one that waits least shows.
  void add_waiting() {
    own_ = INT64_MAX;
    for (const Messages::Thread* peer : peers_) {
      OutOfCoreVector<int64_t>& waited = waited_.emplace_back(exchanges_);
      for (const MessageWait& wait : peer->messages.waits) waited[wait.exchange] += wait.end - wait.start;
      own_ = std::min(own_, lower_twentieth({waited.begin(), waited.end()}));
    }
  }

  bool has_send(size_t thread, size_t exchange) const {
    return peers_[thread]->messages.exchanges[exchange].send != kNone;
  }
  int64_t send_of(size_t thread, size_t exchange) const {
    return common_time(session_.runs[peers_[thread]->run], peers_[thread]->messages.exchanges[exchange].start);
  }

  std::vector<size_t> partners_of(size_t thread, const std::unordered_map<size_t, size_t>& last) const {
    std::vector<std::pair<size_t, size_t>> candidates;  // how often each was last
    for (const auto& [other, times] : last) candidates.emplace_back(times, other);
    std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    if (candidates.size() > kMostPartners) candidates.resize(kMostPartners);
    std::vector<size_t> partners;
    for (const auto& [times, other] : candidates) {
      size_t contradictions = 0;
      for (size_t exchange = 0; exchange < exchanges_; ++exchange) {
        const bool is_known = has_send(other, exchange) && ends_[thread][exchange] != INT64_MIN;
        if (is_known && send_of(other, exchange) >= ends_[thread][exchange]) ++contradictions;
      }
      if (contradictions * kContradictions <= exchanges_) partners.push_back(other);
    }
    return partners;
  }

  /// A wait may have been for those that began to send within it; the first of an exchange also for the last before it.
  void add_senders(size_t number, const std::vector<size_t>& partners) {
    if (partners.empty()) return;
    Messages::Thread& thread = *peers_[number];
    const Run& run = session_.runs[thread.run];
    std::vector<MessageSender> sends;
    uint32_t before = kNone;  // the exchange of the wait before
    for (const MessageWait& wait : thread.messages.waits) {
      thread.first_sender.push_back(static_cast<uint32_t>(thread.senders.size()));
      const int64_t start = common_time(run, wait.start);
      const int64_t end = common_time(run, wait.end);
      sends.clear();
      MessageSender earlier{.start = INT64_MIN};
      for (const size_t partner : partners) {
        if (!has_send(partner, wait.exchange)) continue;
        const MessageSender sender{send_of(partner, wait.exchange), peers_[partner]->run,
                                   peers_[partner]->messages.exchanges[wait.exchange].send};
        if (sender.start >= end) continue;
        if (sender.start >= start) {
          sends.push_back(sender);
        } else if (sender.start > earlier.start) {
          earlier = sender;
        }
      }
      if (wait.exchange != before && earlier.call != kNone) sends.push_back(earlier);
      before = wait.exchange;
      std::ranges::sort(sends, {}, &MessageSender::start);
      thread.senders.insert(thread.senders.end(), sends.begin(), sends.end());
    }
    thread.first_sender.push_back(static_cast<uint32_t>(thread.senders.size()));
  }

  const Session& session_;
  const Peers& peers_;
  size_t exchanges_ = 0;
  std::vector<OutOfCoreVector<int64_t>> ends_;    // by thread and exchange, of its waits, on the common clock
  std::vector<OutOfCoreVector<int64_t>> waited_;  // likewise how long its calls took that wait
  int64_t own_ = 0;                               // what those of an exchange take by themselves
};

}  // namespace

std::vector<MessagesOfThread> messages_of(const Timeline& timeline) {
  std::vector<MessageRole> roles(timeline.names.size());
  std::vector<bool> blocks_to_send(roles.size());
  bool any = false;
  for (StringId name = 0; name < roles.size(); ++name) {
    roles[name] = role_of(timeline.names[name]);
    blocks_to_send[name] = is_blocking_send(roles[name], timeline.names[name]);
    any = any || roles[name].waits;
  }
  if (!any) return {};
  const Slices& slices = timeline.slices;
  std::map<TrackIndex, std::vector<SliceIndex>> calls;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    const TrackIndex track = slices.track[slice];
    if (!roles[slices.name[slice]].any() || !is_host(timeline.kind(slice)) || !is_plausible(timeline, slice)) continue;
    if (track == kNone || timeline.tracks[track].kind != TrackKind::host_thread) continue;
    const SliceIndex parent = slices.parent[slice];
    if (parent != kNone && roles[slices.name[parent]].any()) continue;
    calls[track].push_back(slice);
  }
  std::vector<MessagesOfThread> threads;
  for (auto& [track, of_track] : calls) {
    std::ranges::stable_sort(of_track, {}, [&](SliceIndex call) { return slices.start[call]; });
    MessagesOfThread thread;
    thread.track = track;
    bool has_waited = true;  // what comes next is of a new exchange
    for (const SliceIndex call : of_track) {
      const MessageRole role = roles[slices.name[call]];
      if (thread.exchanges.empty() || (role.starts && has_waited)) {
        thread.exchanges.emplace_back();
        has_waited = false;
      }
      MessageExchange& exchange = thread.exchanges.back();
      if (role.sends && exchange.send == kNone) exchange = {slices.start[call], call};
      if (!role.waits || slices.duration[call] == 0) continue;
      has_waited = has_waited || !blocks_to_send[slices.name[call]];
      const auto number = static_cast<uint32_t>(thread.exchanges.size() - 1);
      thread.waits.push_back({slices.start[call], slices.end(call), slices.start[call], call, number});
    }
    if (thread.waits.empty()) continue;
    find_waiting(timeline, thread);
    threads.push_back(std::move(thread));
  }
  return threads;
}

Messages::Messages(const Session& session, bool common_clock) {
  for (uint32_t run = 0; run < session.runs.size(); ++run) {
    for (MessagesOfThread& of_thread : messages_of(session.runs[run].timeline)) {
      threads_.push_back({run, std::move(of_thread), {}, {}});
    }
  }
  if (!common_clock || session.runs.size() < 2) return;
  std::map<size_t, Peers> peers;  // by the number of their exchanges
  for (Thread& thread : threads_) peers[thread.messages.exchanges.size()].push_back(&thread);
  for (const auto& [exchanges, of_count] : peers) {
    if (exchanges >= kFewestExchanges && of_count.size() > 1) PartnersOfPeers(session, of_count).find();
  }
}

}  // namespace cgpu
