// Names as two runs can have in common: without what is different from version to version, from device to device or
// from one run to the next (template arguments, sizes of tiles, addresses, numbers, the vendor in a name), numbered
// alike for both sides. Numbers that say which op or range is meant stay (numbered_names.h).
//
// A label is shown as the name that has it; where several names do, with * instead of their numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/string_pool.h"
#include "model/timeline.h"

namespace cgpu {

using Label = uint32_t;  // 0: no name

class Labels {
 public:
  /// Names of ops and annotations whose numbers are part of the name (numbered_names.h); said before any label is asked
  /// for.
  void keep_numbers_of(std::unordered_set<std::string> names) { numbered_ = std::move(names); }

  /// Of a framework op or an annotation.
  Label of_op(std::string_view name);
  /// Of the time that a host spends in an op, where it is the device.
  Label of_host_work(std::string_view name);
  /// Whether the first is the time that a host spends in ops of the second.
  bool is_host_work_of(Label work, Label op) const;
  /// Of a device op by its full name.
  Label of_device_op(std::string_view name);
  /// Of anything else: shapes, culprits of idle time.
  Label of_text(std::string_view text);

  /// The same number for equal names in all sessions.
  uint64_t hash(Label label) const { return hashes_[label]; }
  /// Of a name with shapes (the label of their text, or 0).
  uint64_t hash(Label name, Label shapes) const {
    return shapes == 0 ? hashes_[name] : hashes_[name] * 0x9e3779b97f4a7c15 ^ hashes_[shapes];
  }

  /// What to show for it, once all names are known.
  std::string_view text(Label label) const { return shown_[shown_of_[label]]; }
  /// What names with this label have in common; says which label it is.
  std::string_view key(Label label) const { return keys_[label]; }

 private:
  Label label_of(std::string_view key, std::string_view shown);
  std::string op_key(const std::string& folded) const;

  std::unordered_set<std::string> numbered_;
  StringPool keys_;
  StringPool shown_;
  std::vector<StringId> shown_of_ = {0};  // by label
  std::vector<uint64_t> hashes_ = {0};
};

/// The labels of the names of one timeline, each found once.
class LabelsOfNames {
 public:
  /// `of_host`: device ops are the work of the host (host_work.h), which have the names of its ops.
  LabelsOfNames(Labels& labels, const Timeline& timeline, bool of_host)
      : labels_(labels), timeline_(timeline), of_host_(of_host) {}

  Label operator()(SliceIndex slice) {
    const bool is_work = is_device_op(timeline_.kind(slice));
    std::vector<Label>& of_kind = is_work ? known_of_work_ : known_;
    of_kind.resize(timeline_.names.size(), StringPool::absent);
    Label& known = of_kind[timeline_.slices.name[slice]];
    if (known != StringPool::absent) return known;
    const std::string_view name = timeline_.name(slice);
    known = !is_work ? labels_.of_op(name) : of_host_ ? labels_.of_host_work(name) : labels_.of_device_op(name);
    return known;
  }

 private:
  Labels& labels_;
  const Timeline& timeline_;
  bool of_host_;
  std::vector<Label> known_;  // by name, of ops
  std::vector<Label> known_of_work_;
};

}  // namespace cgpu
