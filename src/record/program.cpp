#include "record/program.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>

#include "base/contains.h"
#include "readers/common/outside_program.h"

namespace cgpu {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostOfFile = size_t{1} << 20;

std::string head_of(const std::string& path, size_t most) {
  std::ifstream file(path, std::ios::binary);
  std::string head(most, '\0');
  file.read(head.data(), static_cast<std::streamsize>(most));
  head.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return head;
}

/// Whether a file is a 64-bit ELF executable that names no loader.
bool is_static_elf(const std::string& head) {
  Elf64_Ehdr header{};
  if (head.size() < sizeof header) return false;
  std::memcpy(&header, head.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return false;
  for (size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    const size_t at = header.e_phoff + i * header.e_phentsize;
    if (at > head.size() || head.size() - at < sizeof segment) return false;
    std::memcpy(&segment, head.data() + at, sizeof segment);
    if (segment.p_type == PT_INTERP) return false;
  }
  return header.e_phnum > 0;
}

constexpr std::array<std::string_view, 14> kUsesTorch{
    "torch",     "transformers", "lightning", "pytorch_lightning", "accelerate", "deepspeed", "megatron",
    "diffusers", "vllm",         "sglang",    "torchvision",       "timm",       "torchtune", "torchtitan"};
constexpr std::array<std::string_view, 6> kTorchLaunchers{"torchrun", "accelerate", "deepspeed",
                                                          "vllm",     "sglang",     "tune"};

bool is_torch(std::string_view module) {
  return contains(kUsesTorch, module.substr(0, module.find('.')));
}

/// The modules that lines "import a.b, c" and "from a import b" name. Only statements at the beginning of a line or
/// behind white space: enough to guess what a program uses.
std::vector<std::string> imported_modules(const std::string& source) {
  std::vector<std::string> modules;
  size_t begin = 0;
  while (begin < source.size()) {
    const size_t end = std::min(source.find('\n', begin), source.size());
    std::string_view line(source.data() + begin, end - begin);
    begin = end + 1;
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const bool from = line.starts_with("from ");
    if (!from && !line.starts_with("import ")) continue;
    line.remove_prefix(from ? 5 : 7);
    while (!line.empty()) {
      line.remove_prefix(std::min(line.find_first_not_of(" \t,"), line.size()));
      const size_t length = std::min(line.find_first_of(" \t,;\r"), line.size());
      if (length > 0) modules.emplace_back(line.substr(0, length));
      if (from) break;
      const size_t comma = line.find(',');
      line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
    }
  }
  return modules;
}

/// "train.py imports torch", or "" where neither the script nor a module of its folder that it imports does.
std::string why_torch(const fs::path& script) {
  constexpr size_t kMostModules = 200;
  std::set<fs::path> seen;
  std::vector<fs::path> open{script};
  while (!open.empty() && seen.size() < kMostModules) {
    const fs::path file = open.back();
    open.pop_back();
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored) || !seen.insert(file).second) continue;
    for (const std::string& module : imported_modules(head_of(file.string(), kMostOfFile))) {
      if (is_torch(module)) return file.filename().string() + " imports " + module;
      std::string local = module.substr(std::min(module.find_first_not_of('.'), module.size()));
      std::replace(local.begin(), local.end(), '.', '/');
      open.push_back(script.parent_path() / (local + ".py"));
      open.push_back(script.parent_path() / local / "__init__.py");
    }
  }
  return "";
}

bool is_python_name(std::string_view name) {
  if (name.starts_with("pypy")) name.remove_prefix(4);
  if (name.starts_with("python")) name.remove_prefix(6);
  return name.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// Of "python -u train.py", what follows the interpreter.
void inspect_python(const std::vector<std::string>& command, Program& program) {
  for (size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word.size() < 2 || word[0] != '-') {
      program.name = fs::path(word).stem().string();
      program.torch_reason = why_torch(word);
      return;
    }
    if (word.starts_with("--")) continue;
    for (size_t at = 1; at < word.size(); ++at) {
      const char option = word[at];
      program.ignores_environment = program.ignores_environment || option == 'I' || option == 'E';
      program.has_no_site = program.has_no_site || option == 'S';
      if (option == 'W' || option == 'X') {
        if (at + 1 == word.size()) ++i;  // its value is the next word
        break;
      }
      if (option != 'm' && option != 'c') continue;
      const std::string value = at + 1 < word.size()     ? word.substr(at + 1)
                                : i + 1 < command.size() ? command[i + 1]
                                                         : "";
      if (option == 'c') {
        program.name = "python";
        for (const std::string& module : imported_modules(value)) {
          if (is_torch(module)) program.torch_reason = "the code imports " + module;
        }
        return;
      }
      program.name = value;
      if (value == "cgpu.record") {  // behind it is what python would run
        program.ignores_environment = false;
        std::vector<std::string> rest{command[0]};
        for (size_t next = i + (at + 1 < word.size() ? 1 : 2); next < command.size(); ++next)
          rest.push_back(command[next]);
        inspect_python(rest, program);
        program.torch_reason = "cgpu.record starts it";
        return;
      }
      if (is_torch(value)) {
        program.torch_reason = value + " runs PyTorch";
      } else {
        std::string file = value;
        std::replace(file.begin(), file.end(), '.', '/');
        program.torch_reason = why_torch(file + ".py");
      }
      return;
    }
  }
}

}  // namespace

Program inspect_program(const std::vector<std::string>& command) {
  Program program;
  if (command.empty()) return program;
  program.path = find_program(command[0]);
  const std::string file = fs::path(command[0]).filename().string();
  program.name = fs::path(file).stem().string();
  if (program.name.empty()) program.name = "run";
  const std::string head = head_of(program.path, size_t{16} << 10);
  program.is_static = is_static_elf(head);
  const std::string first_line = head.substr(0, head.find('\n'));
  const bool is_script_of_python = first_line.starts_with("#!") && first_line.find("python") != std::string::npos;
  if (is_python_name(file) && file.find("python") != std::string::npos) {
    program.is_python = true;
    inspect_python(command, program);
  } else if (contains(kTorchLaunchers, std::string_view(file))) {
    program.is_python = true;
    program.torch_reason = file + " starts PyTorch";
  } else if (is_script_of_python) {
    program.is_python = true;
    program.torch_reason = why_torch(program.path);
  }
  program.imports_torch = !program.torch_reason.empty();
  return program;
}

}  // namespace cgpu
