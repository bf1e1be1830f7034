// The server on this machine that answers at a URL, as /proc shows it: needed to know whether it can write into our
// folder, and where it writes by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cgpu {

struct ServerProcess {
  int64_t process = 0;
  bool is_vllm = false;       // else SGLang, or not known
  bool can_write = false;     // sees the files that we see, as the same user or as root
  std::string traces_folder;  // that it was started with, absolute; "" where it cannot be known
};

/// The process that listens where `url` leads to; nothing where that is another machine, or its processes are hidden.
std::optional<ServerProcess> find_server_process(const std::string& url);

/// The folder for traces in the command line and the environment of a server that runs in `working_folder`; both as
/// /proc has them, with a zero byte behind each word. vLLM: --profiler-config (0.13 and later),
/// VLLM_TORCH_PROFILER_DIR; SGLang: SGLANG_TORCH_PROFILER_DIR. "" where none is named.
std::string traces_folder_of_server(const std::string& command_line, const std::string& environment,
                                    const std::string& working_folder);

}  // namespace cgpu
