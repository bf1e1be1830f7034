// /api/p/P/save: a file that the program makes of the profile: the report, or a copy of the viewer.
#include <algorithm>

#include "serve/endpoints/endpoints.h"
#include "serve/http/parameters.h"
#include "serve/viewed_profile.h"

namespace cgpu {

Answer answer_save(const ViewedProfile& viewed, const Request& request) {
  const Parameters parameters(request, {"as"});
  const std::string kind = parameters.required_text("as");
  const std::vector<SavedFile>& files = viewed.files();
  const auto file = std::find_if(files.begin(), files.end(), [&](const SavedFile& one) { return one.kind == kind; });
  if (file == files.end()) throw RequestError(kNotFound, "the profile cannot be saved as this");
  Answer answer;
  answer.type = "text/html; charset=utf-8";
  answer.file_name = file->file_name;
  answer.body = file->make();
  return answer;
}

}  // namespace cgpu
