// Collectives across the ranks of a session: which ops of different ranks are parts of one instance of a collective
// (docs/definitions/collectives.md, "Instances of collectives").
//
// The ops of one name and group form a series, with a list of parts for each member. The collectives of a group run in
// the same order on all members, so parts are matched by their recorded sequence number, else by their position in the
// list. Lists of unequal length (profiles that began or ended at different moments) are shifted to where the ends agree
// best. Transfers between two ranks (sends and receives) of a group are one series: those from one rank to another run
// in the same order on both, and each is an instance of two parts. Clocks of different members are never compared:
// adding a constant to all times of a member changes nothing. O(n log n) in the communication ops, O(n) in the slices.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/out_of_core.h"
#include "model/narrow_column.h"
#include "model/run.h"
#include "model/struct_of_arrays.h"

namespace cgpu {

/// The op of one member in one instance. The op of a batch of sends and receives is part of several.
struct CollectivePart {
  int64_t start = 0;     // ns on the run's clock
  int64_t duration = 0;  // ns
  uint32_t instance = 0;
  SliceIndex slice = kNone;  // in the timeline that it was found in, which need not be there any more
  TrackIndex track = kNone;  // of collectives of the host
  int64_t bytes = -1;        // elements times their size, of the larger of input and output; -1 where not recorded
  int32_t group_size = -1;   // as recorded; -1 where it is not

  int64_t end() const { return start + duration; }
};

/// Columns of equal length, one entry a part: 26 bytes, where numbers in it need more bits than most do up to 40. Of
/// thousands of ranks they are out of core.
struct CollectiveParts : StructOfArrays<CollectiveParts, CollectivePart> {
  OutOfCoreVector<int64_t> start;
  NarrowColumn<int64_t, -1, uint32_t, OutOfCoreAllocator> duration;
  OutOfCoreVector<uint32_t> instance;
  NarrowColumn<SliceIndex, kNone, uint16_t, OutOfCoreAllocator> slice;
  NarrowColumn<TrackIndex, kNone, uint16_t, OutOfCoreAllocator> track;
  NarrowColumn<int64_t, -1, int32_t, OutOfCoreAllocator> bytes;
  NarrowColumn<int32_t, -1, int16_t, OutOfCoreAllocator> group_size;

  template <typename Visit>
  static void for_each_read_column(Visit visit) {
    visit(&CollectiveParts::start, &CollectivePart::start);
    visit(&CollectiveParts::duration, &CollectivePart::duration);
    visit(&CollectiveParts::instance, &CollectivePart::instance);
    visit(&CollectiveParts::slice, &CollectivePart::slice);
    visit(&CollectiveParts::track, &CollectivePart::track);
    visit(&CollectiveParts::bytes, &CollectivePart::bytes);
    visit(&CollectiveParts::group_size, &CollectivePart::group_size);
  }

  size_t size() const { return start.size(); }
};

/// A device of a run; for collectives of the host, a process of a run.
struct CollectiveMember {
  uint32_t run = 0;     // index into Session::runs
  int32_t device = -1;  // -1: the host
  uint32_t first = 0;   // its parts among those of the series, by start
  uint32_t end = 0;

  uint32_t count() const { return end - first; }
};

struct CollectiveSeries {
  std::string name;                  // as recorded, else as the kernel's name says
  std::optional<std::string> group;  // absent where not recorded
  bool of_transfers = false;         // sends and receives between ranks that the profile names
  /// Transfers each op of which sends and receives, as around a ring; or all-to-alls that are called so (alltoalls.h).
  bool are_exchanges = false;
  uint32_t instances = 0;
  std::vector<CollectiveMember> members;  // in the order of the runs
  CollectiveParts parts;                  // member by member

  /// For a loop over the parts of a member.
  class PartsOfMember {
   public:
    class Iterator {
     public:
      Iterator(const CollectiveParts& parts, uint32_t at) : parts_(&parts), at_(at) {}
      CollectivePart operator*() const { return parts_->row(at_); }
      Iterator& operator++() {
        ++at_;
        return *this;
      }
      bool operator!=(const Iterator& other) const { return at_ != other.at_; }

     private:
      const CollectiveParts* parts_;
      uint32_t at_;
    };
    PartsOfMember(const CollectiveParts& parts, const CollectiveMember& member) : parts_(parts), member_(member) {}
    Iterator begin() const { return {parts_, member_.first}; }
    Iterator end() const { return {parts_, member_.end}; }

   private:
    const CollectiveParts& parts_;
    const CollectiveMember& member_;
  };
  PartsOfMember parts_of(const CollectiveMember& member) const { return {parts, member}; }

  /// Whether a part is of the same op as the one before it: parts of an op of several transfers follow each other.
  bool is_of_op_before(uint32_t part, const CollectiveMember& member) const {
    return part > member.first && parts.slice[part] != kNone && parts.slice[part] == parts.slice[part - 1];
  }
  /// Calls visit(part) for each op of a member once, with the first of its parts.
  template <typename Visit>
  void for_each_op_of(const CollectiveMember& member, Visit visit) const {
    for (uint32_t part = member.first; part < member.end; ++part) {
      if (!is_of_op_before(part, member)) visit(parts.row(part));
    }
  }
};

/// The name of the series of transfers between two ranks.
inline constexpr std::string_view kTransfers = "send_recv";

/// Gathers collectives of one run after another, in the order of the session, of whose timelines nothing has to stay.
class CollectiveCollector {
 public:
  /// Communication on its devices. `number`: index of the run in the session.
  void add_device_ops(uint32_t number, const Run& run);
  /// Blocking collectives of the host (MPI, Gloo) that end together (see below), without those nested in another such
  /// call.
  void add_host_calls(uint32_t run, const Timeline& timeline);
  /// Those of all runs, matched, ordered by name and group. Leaves nothing behind.
  std::vector<CollectiveSeries> take();

 private:
  using Key = std::pair<std::string, std::optional<std::string>>;  // name, group
  /// Between which ranks a part is a transfer; both -1 where it is none, or where that is not known.
  struct Transfer {
    int32_t from = -1;
    int32_t to = -1;
    bool sends = false;  // this member does
    auto operator<=>(const Transfer&) const = default;
  };
  struct Gathered {
    CollectiveSeries series;
    /// By part: its recorded number; -1 where the profile does not say.
    NarrowColumn<int64_t, -1, int32_t, OutOfCoreAllocator> sequence;
    OutOfCoreVector<Transfer> transfers;  // by part; empty where there is none
    size_t alltoalls = 0;                 // of the parts
  };
  struct NumberedPart {
    CollectivePart part;
    int64_t sequence = -1;
    Transfer transfer = {};
    bool in_alltoall = false;  // alltoalls.h
  };
  static Transfer transfer_of(const Collective& record, const Run& run);
  void add(const Key& key, CollectiveMember member, std::vector<NumberedPart> parts);
  static void match_by_sequence(Gathered& gathered);
  static void match_transfers(Gathered& gathered);
  static bool are_exchanges(const Gathered& gathered);

  std::map<Key, Gathered> all_;
};

/// Communication on devices of all runs, as CollectiveCollector has it.
std::vector<CollectiveSeries> device_collectives(const Session& session);

/// Blocking collectives of the host of all runs, likewise.
std::vector<CollectiveSeries> host_collectives(const Session& session);

/// The name of a collective by its letters alone, in lower case: "allreduce" of "all_reduce" and "AllReduce".
std::string letters_of(std::string_view collective);

/// Whether no member can finish such a collective before the last one has entered it, so that all end at about the same
/// moment: all-reduce, all-gather, reduce-scatter, all-to-all, barrier.
bool ends_together(std::string_view collective);
/// Whether each member besides has as much to send and to receive as the others, by its name: not in an all-to-all, nor
/// in those whose members say how much each has (MPI_Allgatherv).
bool has_equal_shares(std::string_view collective);

}  // namespace cgpu
