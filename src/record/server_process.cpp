#include "record/server_process.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/contains.h"
#include "base/memory_text.h"
#include "base/parse_number.h"
#include "readers/common/json_reader.h"

namespace cgpu {

namespace {

namespace fs = std::filesystem;

struct Address {
  std::string host;
  int port = 0;
};

/// "http://[::1]:8000/x": "::1" and 8000.
Address address_of(const std::string& url) {
  const size_t scheme = url.find("://");
  std::string_view rest = std::string_view(url).substr(scheme == std::string::npos ? 0 : scheme + 3);
  rest = rest.substr(0, rest.find('/'));
  const size_t bracket = rest.find(']');
  const size_t colon = rest.find(':', bracket == std::string_view::npos ? 0 : bracket);
  Address address{std::string(rest.substr(0, colon)), url.starts_with("https") ? 443 : 80};
  if (address.host.starts_with("[")) address.host = address.host.substr(1, address.host.size() - 2);
  if (colon != std::string_view::npos) address.port = parse_number<int>(rest.substr(colon + 1)).value_or(0);
  return address;
}

/// The bytes of an IP address, or "" of another kind of address.
std::string bytes_of(const sockaddr* address) {
  if (address == nullptr) return "";
  if (address->sa_family == AF_INET) {
    in_addr bytes = reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
    return {reinterpret_cast<const char*>(&bytes), sizeof bytes};
  }
  if (address->sa_family != AF_INET6) return "";
  in6_addr bytes = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  return {reinterpret_cast<const char*>(&bytes), sizeof bytes};
}

bool is_this_machine(const std::string& host) {
  addrinfo* resolved = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, nullptr, &resolved) != 0) return false;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> resolved_owner(resolved, ::freeaddrinfo);
  ifaddrs* own = nullptr;
  if (::getifaddrs(&own) != 0) return false;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> own_owner(own, ::freeifaddrs);
  std::set<std::string> addresses;
  for (const ifaddrs* one = own; one != nullptr; one = one->ifa_next) addresses.insert(bytes_of(one->ifa_addr));
  addresses.erase("");
  for (const addrinfo* one = resolved; one != nullptr; one = one->ai_next) {
    if (addresses.contains(bytes_of(one->ai_addr))) return true;
  }
  return false;
}

/// "socket:[1234]" of the sockets that listen on a port, as the descriptors of processes are named.
std::set<std::string> listening_sockets(int port) {
  std::set<std::string> sockets;
  for (const char* name : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream file(name);
    std::string line;
    std::getline(file, line);  // the names of the columns
    while (std::getline(file, line)) {
      std::istringstream words(line);
      std::vector<std::string> columns{std::istream_iterator<std::string>(words), {}};
      constexpr size_t kLocal = 1;
      constexpr size_t kState = 3;
      constexpr size_t kInode = 9;
      if (columns.size() <= kInode || columns[kState] != "0A") continue;  // TCP_LISTEN
      if (columns[kLocal].ends_with(fmt::format(":{:04X}", port))) sockets.insert("socket:[" + columns[kInode] + "]");
    }
  }
  return sockets;
}

bool has_descriptor(const fs::path& process, const std::set<std::string>& names) {
  std::error_code hidden;
  for (auto entry = fs::directory_iterator(process / "fd", hidden); !hidden && entry != fs::directory_iterator();
       entry.increment(hidden)) {
    std::error_code closed;
    if (names.contains(fs::read_symlink(entry->path(), closed).string())) return true;
  }
  return false;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, '\0');) words.push_back(word);
  return words;
}

/// The member torch_profiler_dir of the JSON that --profiler-config takes; "" without it.
std::string folder_in_config(const std::string& json_text) {
  std::string folder;
  MemoryText source(json_text);
  JsonReader json(source);
  if (json.next() != JsonReader::Token::begin_object) return "";
  json.each_member([&](std::string_view key) {
    if (json.next() == JsonReader::Token::string) {
      if (key == "torch_profiler_dir") folder = json.text();
    } else {
      json.skip();
    }
  });
  return folder;
}

std::string folder_in_command_line(const std::vector<std::string>& words) {
  constexpr std::string_view kConfig = "--profiler-config";
  constexpr std::string_view kFolder = "--profiler-config.torch_profiler_dir";
  std::string folder;
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    if (name != kConfig && name != kFolder) continue;
    const std::string value = equals != std::string::npos ? words[i].substr(equals + 1)
                              : i + 1 < words.size()      ? words[i + 1]
                                                          : "";
    const std::string named = name == kFolder ? value : folder_in_config(value);
    if (!named.empty()) folder = named;
  }
  return folder;
}

ServerProcess describe(const fs::path& process) {
  ServerProcess server;
  server.process = parse_number(process.filename().string()).value_or(0);
  const std::string command_line = text_of(process / "cmdline");
  server.is_vllm = contains(command_line, "vllm") && !contains(command_line, "sglang");
  std::error_code hidden;
  server.traces_folder = traces_folder_of_server(command_line, text_of(process / "environ"),
                                                 fs::read_symlink(process / "cwd", hidden).string());
  struct stat about {};
  const bool is_trusted = ::stat(process.c_str(), &about) == 0 && (about.st_uid == ::geteuid() || about.st_uid == 0);
  const fs::path own = fs::read_symlink("/proc/self/ns/mnt", hidden);
  server.can_write = is_trusted && !own.empty() && fs::read_symlink(process / "ns/mnt", hidden) == own;
  return server;
}

}  // namespace

std::string traces_folder_of_server(const std::string& command_line, const std::string& environment,
                                    const std::string& working_folder) {
  std::string folder = folder_in_command_line(words_of(command_line));
  for (const std::string& variable : words_of(environment)) {
    for (const std::string_view name : {"VLLM_TORCH_PROFILER_DIR=", "SGLANG_TORCH_PROFILER_DIR="}) {
      if (folder.empty() && variable.starts_with(name)) folder = variable.substr(name.size());
    }
  }
  if (folder.empty() || folder.starts_with("/")) return folder;
  if (contains(folder, "://") || folder.starts_with("~") || working_folder.empty()) return "";  // in a store; not known
  return (fs::path(working_folder) / folder).lexically_normal().string();
}

std::optional<ServerProcess> find_server_process(const std::string& url) {
  const Address address = address_of(url);
  if (address.port <= 0 || !is_this_machine(address.host)) return std::nullopt;
  const std::set<std::string> sockets = listening_sockets(address.port);
  if (sockets.empty()) return std::nullopt;
  std::vector<int64_t> processes;
  std::error_code hidden;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", hidden)) {
    const auto number = parse_number(entry.path().filename().string());
    if (number && has_descriptor(entry.path(), sockets)) processes.push_back(*number);
  }
  if (processes.empty()) return std::nullopt;
  // Of a server and the processes that it forked, the first one has the command line that it was started with.
  return describe(fs::path("/proc") / std::to_string(*std::ranges::min_element(processes)));
}

}  // namespace cgpu
