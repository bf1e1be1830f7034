// The program that is recorded, as far as it can be known without running it.
#pragma once

#include <string>
#include <vector>

namespace cgpu {

struct Program {
  std::string name;                  // for folders: "train" of "python train.py"
  std::string path;                  // of the executable; "" where PATH does not lead to it
  bool is_python = false;            // by its name, or a script that begins with "#!...python"
  bool imports_torch = false;        // itself, a module of its folder, or it is a launcher of PyTorch
  std::string torch_reason;          // "train.py imports torch"
  bool ignores_environment = false;  // python -I or -E
  bool has_no_site = false;          // python -S
  bool is_static = false;            // an ELF file without a loader, into which nothing can be preloaded
};

/// Reads the head of the executable and, of Python, the script and the modules of its folder that it imports.
Program inspect_program(const std::vector<std::string>& command);

}  // namespace cgpu
