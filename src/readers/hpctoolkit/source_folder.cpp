#include "readers/hpctoolkit/source_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/to_size.h"

namespace cgpu::hpctoolkit {

namespace {

constexpr std::string_view kFolder = "src/";

/// One step of a path below an open folder; null where there is nothing of that kind and name.
std::unique_ptr<File> open_below(const File& folder, const std::string& name, int kind) {
  if (name.empty() || name == "." || name == ".." || name.find('\0') != std::string::npos) return nullptr;
  // Not blocking: opening a pipe would wait for its other end.
  const int descriptor =
      ::openat(folder.descriptor(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | kind);
  return descriptor < 0 ? nullptr : std::make_unique<File>(descriptor, folder.name() + "/" + name);
}

/// A regular file by its path below an open folder; null where there is none.
std::unique_ptr<File> open_path(const File& folder, std::string_view path) {
  std::unique_ptr<File> within;
  for (size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/')) {
    within = open_below(within ? *within : folder, std::string(path.substr(0, slash)), O_DIRECTORY);
    if (!within) return nullptr;
    path.remove_prefix(slash + 1);
  }
  std::unique_ptr<File> file = open_below(within ? *within : folder, std::string(path), 0);
  return file && file->is_regular() ? std::move(file) : nullptr;
}

/// What a name says behind "src/"; nothing where it does not begin so.
std::string_view below_source_folder(std::string_view name) {
  if (name.starts_with("./")) name.remove_prefix(2);
  return name.starts_with(kFolder) ? name.substr(kFolder.size()) : std::string_view();
}

class SourceFolder : public SourceFiles {
 public:
  explicit SourceFolder(std::unique_ptr<File> folder) : folder_(std::move(folder)) {}

  void add(std::string_view name) {
    for (std::string_view path = below_source_folder(name); !path.empty();) {
      if (const std::unique_ptr<File> file = open_path(*folder_, path)) {
        files_.push_back({std::string(name), std::string(kFolder) + std::string(path), file->size()});
        return;
      }
      path.remove_prefix(std::min(path.find('/'), path.size() - 1) + 1);
    }
  }

  const std::vector<cgpu::SourceFile>& files() const override { return files_; }

  std::string text(size_t number, size_t most) const override {
    const std::string& stored = files_.at(number).stored;
    const std::unique_ptr<File> file = open_path(*folder_, below_source_folder(stored));
    if (!file) throw Error(stored, "is no longer in the database");
    std::string text(to_size(std::min<uint64_t>(file->size(), most)), '\0');
    text.resize(file->read_at(0, text.data(), text.size()));
    return text;
  }

 private:
  std::unique_ptr<File> folder_;
  std::vector<cgpu::SourceFile> files_;
};

}  // namespace

std::filesystem::path folder_of(const Input& input) {
  if (input.is_folder) return input.path;
  const std::filesystem::path folder = std::filesystem::path(input.path).parent_path();
  return folder.empty() ? std::filesystem::path(".") : folder;
}

std::shared_ptr<SourceFiles> source_folder(const std::string& database, const CallTree& tree) {
  const int descriptor = ::open((database + "/src").c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  auto sources = std::make_shared<SourceFolder>(std::make_unique<File>(descriptor, database + "/src"));
  const std::set<StringId> names(tree.nodes.file.begin(), tree.nodes.file.end());
  for (const StringId name : names) sources->add(tree.names[name]);
  return sources->files().empty() ? nullptr : sources;
}

}  // namespace cgpu::hpctoolkit
