// profile.db and cct.db: the values. The summary over all profiles is read at once, single profiles when asked for.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mapped_file.h"
#include "model/call_tree.h"
#include "model/notes.h"
#include "readers/common/bytes.h"
#include "readers/hpctoolkit/meta.h"
#include "readers/hpctoolkit/structures.h"

namespace cgpu::hpctoolkit {

/// What one thread or stream is called by; parts that the profile does not give are absent.
struct Identity {
  std::optional<uint64_t> node, rank, thread, device, context, stream;
};

struct ProfileCounts {
  int64_t with_values = 0;  // contexts that hold values in the summary
  int64_t not_in_tree = 0;  // of these, not listed in meta.db
};

class Profiles {
 public:
  /// Throws Error where the file is no profile.db. What is missing in it goes to the notes.
  Profiles(std::shared_ptr<const MappedFile> file, const std::vector<std::string>& kinds, Notes& notes);

  /// One a thread or stream, in the order of the file.
  const std::vector<Identity>& identities() const { return identities_; }
  /// The profile that the file numbers `position`; none for a summary.
  std::optional<uint32_t> profile_at(uint32_t position) const;
  /// The first contexts with values of a profile, at most so many.
  std::vector<uint32_t> first_contexts_of(uint32_t profile, uint64_t most) const;
  /// Fills the metrics' values from the summary.
  ProfileCounts read_summary(CallTree& tree, const std::vector<MetricIds>& ids, const ContextNodes& contexts,
                             Notes& notes) const;
  /// The values of one metric in one profile, by context.
  std::vector<std::pair<uint32_t, double>> values_of(uint32_t profile, uint16_t metric) const;
  /// The same in the summary.
  std::vector<std::pair<uint32_t, double>> summary_values_of(uint16_t metric) const;

 private:
  std::vector<std::pair<uint32_t, double>> values_in(const ProfileInfo& info, uint16_t metric) const;

  std::shared_ptr<const MappedFile> mapped_;
  Bytes file_;
  std::optional<ProfileInfo> summary_;
  std::vector<ProfileInfo> infos_;  // of `identities_`
  std::vector<uint32_t> positions_;
  std::vector<Identity> identities_;
};

/// The values of single profiles, by profile from profile.db, by node from cct.db; from profile.db too where there is
/// no cct.db. `cct` may be null.
std::shared_ptr<ProfileValues> profile_values(std::shared_ptr<const Profiles> profiles,
                                              std::shared_ptr<const MappedFile> cct, ContextNodes contexts,
                                              std::vector<MetricIds> ids, Notes& notes);

}  // namespace cgpu::hpctoolkit
