#include "record/server_process.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace cgpu {
namespace {

/// As /proc has them: a zero byte behind each word.
std::string words(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& word : list) text += word + '\0';
  return text;
}

TEST(ServerProcess, FolderForTraces) {
  const auto folder = [](const std::vector<std::string>& command_line,
                         const std::vector<std::string>& environment = {}) {
    return traces_folder_of_server(words(command_line), words(environment), "/home/me");
  };
  EXPECT_EQ(folder({"vllm", "serve", "m"}), "");
  EXPECT_EQ(folder({"vllm", "--profiler-config", R"({"profiler": "torch", "torch_profiler_dir": "/a b"})"}), "/a b");
  EXPECT_EQ(folder({"vllm", R"(--profiler-config={"x": {"torch_profiler_dir": "/no"}, "torch_profiler_dir": "./t"})"}),
            "/home/me/t");
  EXPECT_EQ(folder({"vllm", "--profiler-config.torch_profiler_dir=/c"}), "/c");
  EXPECT_EQ(folder({"vllm", "--profiler-config.torch_profiler_dir", "/d"}, {"VLLM_TORCH_PROFILER_DIR=/e"}), "/d");
  EXPECT_EQ(folder({"vllm", "--profiler-config"}, {"A=1", "VLLM_TORCH_PROFILER_DIR=e"}), "/home/me/e");
  EXPECT_EQ(folder({"python"}, {"SGLANG_TORCH_PROFILER_DIR=/f", "B="}), "/f");
  EXPECT_EQ(folder({"vllm", "--profiler-config.torch_profiler_dir=s3://bucket/x"}), "");
  EXPECT_EQ(folder({"vllm", "--profiler-config", "{\"torch_profiler_dir\": \"/x"}), "");
}

TEST(ServerProcess, OfThisMachineIsFound) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string port = std::to_string(ntohs(address.sin_port));
  const auto server = find_server_process("http://127.0.0.1:" + port + "/v1");
  ASSERT_TRUE(server);
  EXPECT_EQ(server->process, ::getpid());
  EXPECT_TRUE(server->can_write);
  EXPECT_FALSE(server->is_vllm);
  EXPECT_FALSE(find_server_process("http://192.0.2.1:" + port)) << "an address for documentation, of no machine";
  ::close(listener);
  EXPECT_FALSE(find_server_process("http://127.0.0.1:" + port));
  EXPECT_FALSE(find_server_process("http://127.0.0.1:x"));
}

}  // namespace
}  // namespace cgpu
