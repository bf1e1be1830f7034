// Finds the profiles that the ranks of a summary were made of. A summary has the names of these files, but not their
// folders.
//
// A summary is not trusted, so that a name in it is only looked for in the folders that were given: it is that of a
// file, or of one in a folder (as summaries have it); what it stands for after all links lies below that folder; and it
// is a file, or a folder that is a profile.
#pragma once

#include <string>
#include <vector>

namespace cgpu {

class RankFiles {
 public:
  /// `folders`: where to look; where there are none, in that of each summary. Throws Error for one that is none.
  explicit RankFiles(std::vector<std::string> folders);

  /// The path, without links, of the profile that a summary calls `name`: in one of the folders, else directly in a
  /// folder in it. Throws Error where there is none or there are several, and for a name that is none, with what to do.
  std::string find(const std::string& name, const std::string& summary) const;

 private:
  std::vector<std::string> folders_;
};

}  // namespace cgpu
