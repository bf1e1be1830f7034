// Feeds arbitrary bytes as an HPCToolkit 2 database through the whole path: experiment.xml and the tables of two
// threads in a folder.
#include "profile_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static cgpu::fuzz::ProfileFolder folder(
      {"experiment.xml", "1.p-000000-000-a8c0-1-0.metric-db", "1.p-000001-500-a8c0-2-0.metric-db"});
  if (folder.fill(data, size)) cgpu::fuzz::run_whole_path(folder.path(), {});
  return 0;
}
