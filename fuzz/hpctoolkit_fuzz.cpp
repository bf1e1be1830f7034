// Feeds arbitrary bytes as an HPCToolkit database through the whole path: five files in a folder.
#include "profile_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static cgpu::fuzz::ProfileFolder folder({"meta.db", "profile.db", "cct.db", "trace.db", "metrics/default.yaml"});
  if (folder.fill(data, size)) cgpu::fuzz::run_whole_path(folder.path(), {});
  return 0;
}
