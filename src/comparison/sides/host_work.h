// A session without device work whose host counts as the device: the work of its threads in framework ops is compared.
//
// The work of an op is the time in which its thread is in it and in no op inside of it, in as many pieces as that has.
// In a copy of the session each piece is an op of one device, all threads of the host being its streams, launched where
// the framework op begins. What compares device work then holds for it: where several threads are in ops at once they
// share the time, as device ops that run together do, and where none is, the device is idle.
//
// O(n log n) in the slices, and the memory of a second timeline.
#pragma once

#include "analysis/session_facts.h"

namespace cgpu {

/// Which slices of the host count as ops.
enum class HostUnit : uint8_t {
  framework_ops,
  all  // of a host without framework ops: functions, annotations and calls
};

inline bool is_unit(HostUnit unit, SliceKind kind) {
  return unit == HostUnit::all ? is_host(kind) : kind == SliceKind::framework_op;
}

/// Whether a device did anything.
bool has_device_work(const Session& session);
/// Whether a host spent time in such.
bool has_host_work(const Session& session, HostUnit unit);

class HostWork {
 public:
  /// The name of the device.
  static constexpr const char* kDevice = "CPU";

  /// `given` must outlive this.
  HostWork(const SessionFacts& given, HostUnit unit);

  /// Of the copy. Slices of the session have their numbers in it.
  const SessionFacts& facts() const { return facts_; }
  HostUnit unit() const { return unit_; }
  /// The slice of the session that a slice of the copy belongs to: of a piece of work the op.
  SliceIndex original_slice(size_t run, SliceIndex slice) const;
  /// The first piece of the work of an op of the session; kNone for what is no op, or has none. O(log n).
  OpIndex first_piece_of(size_t run, SliceIndex op) const;
  /// Whether a device op of the copy is the first piece of the work of its op.
  bool is_first_piece(size_t run, OpIndex op) const;

 private:
  const SessionFacts& original_;
  HostUnit unit_;
  Session session_;
  SessionFacts facts_;
};

}  // namespace cgpu
