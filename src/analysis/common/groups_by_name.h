// One group a name, over several runs, each of which has its own name pool: the state of most tables of one row a name.
//
// A Group has
//   void combine(Group&&)                         takes over the group of the same name of the next rank
//   template <typename Archive> void members(Archive&)
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/common/merged_names.h"
#include "base/message.h"

namespace cgpu {

template <typename Group>
class GroupsByName {
 public:
  explicit GroupsByName(MergedNames::Spelling spelling = nullptr) : names_(std::move(spelling)) {}

  /// From now on ids are of this pool, which must not grow meanwhile.
  void enter(const StringPool& pool) { names_.enter(pool); }
  /// The group of the name with this id in the entered pool.
  Group& of(StringId id) { return entry(groups_, names_.number(id)); }
  /// The group of a name that is spelt as it is listed.
  Group& of_text(std::string_view name) { return entry(groups_, names_.number_of_text(name)); }

  void combine(GroupsByName&& other) {
    for (StringId number = 0; number < other.groups_.size(); ++number) {
      of_text(other.names_.text(number)).combine(std::move(other.groups_[number]));
    }
  }
  /// visit(name, group), in no order that means something. Some groups may be as they were made.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (StringId number = 0; number < groups_.size(); ++number) visit(names_.text(number), groups_[number]);
  }

  template <typename Archive>
  void members(Archive& archive) {
    archive.each(groups_.size(), [&](size_t number) {
      std::string name;
      if constexpr (Archive::kIsWriting) name = names_.text(static_cast<StringId>(number));
      archive(name);
      if constexpr (Archive::kIsWriting) {
        archive(groups_[number]);
      } else {
        archive(of_text(name));
      }
    });
  }

 private:
  MergedNames names_;
  std::vector<Group> groups_;
};

}  // namespace cgpu
