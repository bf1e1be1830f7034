// Messages between hosts (MPI point-to-point): the calls that wait for them, how long each waits, and for which rank
// (docs/definitions/collectives.md, "Messages of hosts").
//
// A profile seldom says to whom a message goes. Of the waiting calls of one name and thread the shortest (the lower 5th
// percentile) shows what a message takes by itself; what is beyond that is waiting for another rank. A thread starts
// messages and then waits for them: that is an exchange. The k-th exchanges of threads that have equally many belong
// together. Of two threads the second is a partner of the first if it begins to send before the first one's waits end
// in (nearly) all exchanges, and was the last to do so in one that was noticeably late: then the first one may have
// waited for it. Times of ranks are compared on the common clock (common_time.h).
//
// O(n) in the slices of a run; then O(exchanges log ranks) and O(exchanges) for each of at most 32 partners of a
// thread. 32 bytes a waiting call, 12 an exchange and 16 for each sender of a wait, out of core.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/out_of_core.h"
#include "model/run.h"

namespace cgpu {

/// A call that waits for messages: MPI_Wait*, MPI_Recv, MPI_Sendrecv, MPI_Probe, a blocking send. Times in ns on the
/// clock of its run.
struct MessageWait {
  int64_t start = 0;
  int64_t end = 0;
  int64_t until = 0;  // it waits for other ranks from its start until then: no sooner than that, before its end
  SliceIndex call = kNone;
  uint32_t exchange = 0;
};

/// Messages that a thread starts, and then waits for.
struct MessageExchange {
  int64_t start = 0;        // of the first call that sends
  SliceIndex send = kNone;  // that call; kNone where it only receives
};

/// Of a thread of the host, by start.
struct MessagesOfThread {
  TrackIndex track = kNone;
  OutOfCoreVector<MessageWait> waits;
  OutOfCoreVector<MessageExchange> exchanges;
};

/// Of the threads that wait for messages, by track. Calls within other calls for messages do not count.
std::vector<MessagesOfThread> messages_of(const Timeline& timeline);

/// A call that begins to send what another rank may have waited for.
struct MessageSender {
  int64_t start = 0;  // ns on the common clock
  uint32_t run = 0;   // index into the session
  SliceIndex call = kNone;
};

/// Of all runs of a session.
class Messages {
 public:
  /// Senders are known only where `common_clock` says that the clocks of the runs can be compared.
  Messages(const Session& session, bool common_clock);

  struct Thread {
    uint32_t run = 0;
    MessagesOfThread messages;
    /// By wait where its senders begin, and one more; empty where none are known.
    OutOfCoreVector<uint32_t> first_sender;
    OutOfCoreVector<MessageSender> senders;

    /// Of one wait, by start. They begin before the end of the wait.
    std::span<const MessageSender> senders_of(size_t wait) const {
      if (first_sender.empty()) return {};
      return {senders.data() + first_sender[wait], first_sender[wait + 1] - first_sender[wait]};
    }
  };
  const std::vector<Thread>& threads() const { return threads_; }
  bool empty() const { return threads_.empty(); }

 private:
  std::vector<Thread> threads_;  // by run and track
};

}  // namespace cgpu
