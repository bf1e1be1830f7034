// For tests: writes databases of HPCToolkit 4 from what they shall say. The layout follows FORMATS.md independently of
// the reader; strides can be made wider than needed, as a later minor version may.
#pragma once

#include <stdlib.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cgpu::hpctoolkit::test {

/// Bytes that are written at the end and patched in the middle.
class Out {
 public:
  template <typename T>
  uint64_t put(T value) {
    const uint64_t at = bytes.size();
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    return at;
  }
  template <typename T>
  void patch(uint64_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
  uint64_t text(const std::string& text) {
    const uint64_t at = bytes.size();
    bytes.append(text.c_str(), text.size() + 1);
    return at;
  }
  uint64_t align() {
    bytes.resize((bytes.size() + 7) / 8 * 8);
    return bytes.size();
  }
  void zeros(uint64_t count) { bytes.append(count, '\0'); }

  std::string bytes;
};

struct TestContext {
  uint32_t id = 0;
  uint8_t relation = 0;  // 0 lexical, 1 call, 2 inlined call
  uint8_t type = 0;      // 0 function, 1 loop, 2 line, 3 instruction
  std::string function;
  std::string file;
  uint32_t line = 0;
  std::string module;
  uint64_t module_offset = 0;
  std::vector<TestContext> below;
};

struct TestEntry {
  uint32_t id = 0;
  std::string name;
  std::vector<TestContext> below;
};

struct TestProfile {
  std::vector<std::pair<uint8_t, uint32_t>> identity;  // (kind, number); kinds as in kKinds
  /// By context, metric and scope: what is stored.
  std::map<uint32_t, std::map<uint16_t, double>> values;
  std::vector<std::pair<uint64_t, uint32_t>> trace;

  void set(uint32_t context, uint16_t metric, double point, double execution) {
    if (point != 0) values[context][static_cast<uint16_t>(2 * metric)] = point;
    if (execution != 0) values[context][static_cast<uint16_t>(2 * metric + 1)] = execution;
  }
};

inline const std::vector<std::string> kKinds{"SUMMARY",   "NODE",       "RANK",      "THREAD",
                                             "GPUDEVICE", "GPUCONTEXT", "GPUSTREAM", "CORE"};
enum Kind : uint8_t { node = 1, rank = 2, thread = 3, gpu_device = 4, gpu_context = 5, gpu_stream = 6 };

struct TestDatabase {
  std::string meta, profile, cct, trace;
};

class DatabaseBuilder {
 public:
  std::vector<std::string> metrics;
  std::vector<TestEntry> entries;
  std::vector<TestProfile> profiles;
  uint64_t wider = 0;  // bytes by which every array of structures is wider than needed; a multiple of 8

  TestDatabase build() { return {build_meta(), build_profile(), build_cct(), build_trace()}; }

 private:
  static Out header(const char* format, size_t sections) {
    Out out;
    out.bytes = std::string("HPCTOOLKIT") + format;
    out.put<uint8_t>(4);
    out.put<uint8_t>(0);
    out.zeros(16 * sections);
    return out;
  }
  static void section(Out& out, size_t index, uint64_t begin) {
    out.patch<uint64_t>(16 + 16 * index, out.bytes.size() - begin);
    out.patch<uint64_t>(24 + 16 * index, begin);
  }
  static std::string end(Out& out, const char* footer) { return out.bytes + footer; }

  std::string build_meta() {
    Out out = header("meta", 8);
    const uint64_t title = out.text("test program");
    section(out, 4, title);
    uint64_t at = out.align();
    out.put<uint64_t>(title);
    out.put<uint64_t>(title);
    section(out, 0, at);

    std::vector<uint64_t> kinds;
    for (const std::string& kind : kKinds) kinds.push_back(out.text(kind));
    const uint64_t kind_array = out.align();
    for (const uint64_t kind : kinds) out.put<uint64_t>(kind);
    at = out.bytes.size();
    out.put<uint64_t>(kind_array);
    out.put<uint8_t>(static_cast<uint8_t>(kinds.size()));
    out.align();
    section(out, 1, at);
    write_metrics(out);

    at = out.align();
    const uint64_t context_section = at;
    out.zeros(0x10);
    const uint64_t entry_array = out.bytes.size();
    out.patch<uint64_t>(context_section, entry_array);
    out.patch<uint16_t>(context_section + 8, static_cast<uint16_t>(entries.size()));
    out.patch<uint8_t>(context_section + 10, static_cast<uint8_t>(0x20 + wider));
    out.zeros(entries.size() * (0x20 + wider));
    for (size_t i = 0; i < entries.size(); ++i) {
      const uint64_t entry = entry_array + i * (0x20 + wider);
      out.patch<uint32_t>(entry + 0x10, entries[i].id);
      out.patch<uint16_t>(entry + 0x14, 1);
      const uint64_t name = out.text(entries[i].name);
      out.patch<uint64_t>(entry + 0x18, name);
      write_children(out, entries[i].below, entry);
    }
    section(out, 3, context_section);
    return end(out, "_meta.db");
  }

  void write_metrics(Out& out) {
    const uint64_t point_name = out.text("point");
    const uint64_t execution_name = out.text("execution");
    const uint64_t scopes = out.align();
    for (const auto& [name, type] : {std::pair(point_name, 1), std::pair(execution_name, 2)}) {
      out.put<uint64_t>(name);
      out.put<uint8_t>(static_cast<uint8_t>(type));
      out.put<uint8_t>(255);
      out.align();
    }
    std::vector<uint64_t> names, instances, summaries;
    const uint64_t formula = out.text("$$");
    for (size_t m = 0; m < metrics.size(); ++m) {
      names.push_back(out.text(metrics[m]));
      instances.push_back(out.align());
      for (size_t s = 0; s < 2; ++s) {
        out.put<uint64_t>(scopes + 16 * s);
        out.put<uint16_t>(static_cast<uint16_t>(2 * m + s));
        out.align();
        out.zeros(wider);
      }
      summaries.push_back(out.bytes.size());
      for (size_t s = 0; s < 2; ++s) {
        out.put<uint64_t>(scopes + 16 * s);
        out.put<uint64_t>(formula);
        out.put<uint8_t>(0);
        out.put<uint8_t>(0);
        out.put<uint16_t>(static_cast<uint16_t>(kSummaryIds + 2 * m + s));
        out.align();
        out.zeros(wider);
      }
    }
    const uint64_t array = out.align();
    for (size_t m = 0; m < metrics.size(); ++m) {
      out.put<uint64_t>(names[m]);
      out.put<uint64_t>(instances[m]);
      out.put<uint64_t>(summaries[m]);
      out.put<uint16_t>(2);
      out.put<uint16_t>(2);
      out.align();
      out.zeros(wider);
    }
    const uint64_t at = out.bytes.size();
    out.put<uint64_t>(array);
    out.put<uint32_t>(static_cast<uint32_t>(metrics.size()));
    out.put<uint8_t>(static_cast<uint8_t>(0x20 + wider));
    out.put<uint8_t>(static_cast<uint8_t>(0x10 + wider));
    out.put<uint8_t>(static_cast<uint8_t>(0x18 + wider));
    out.put<uint8_t>(0);
    out.put<uint64_t>(scopes);
    out.put<uint16_t>(2);
    out.put<uint8_t>(16);
    out.align();
    section(out, 2, at);
  }

  /// Writes the structures that contexts point to, then the contexts side by side, then what is below each.
  void write_children(Out& out, const std::vector<TestContext>& contexts, uint64_t parent) {
    if (contexts.empty()) return;
    struct Words {
      uint8_t flags = 0;
      std::vector<uint64_t> words;
    };
    std::vector<Words> words;
    for (const TestContext& context : contexts) {
      Words w;
      const uint64_t module = context.module.empty() ? 0 : named(out, context.module);
      const uint64_t file = context.file.empty() ? 0 : named(out, context.file);
      if (!context.function.empty()) {
        const uint64_t name = out.text(context.function);
        const uint64_t at = out.align();
        out.put<uint64_t>(name);
        out.put<uint64_t>(module);
        out.put<uint64_t>(0);
        out.put<uint64_t>(file);
        out.put<uint32_t>(context.line);
        out.put<uint32_t>(0);
        w.flags |= 1;
        w.words.push_back(at);
      } else {
        if (file != 0) {
          w.flags |= 2;
          w.words.push_back(file);
          w.words.push_back(context.line);
        }
        if (module != 0) {
          w.flags |= 4;
          w.words.push_back(module);
          w.words.push_back(context.module_offset);
        }
      }
      words.push_back(std::move(w));
    }
    const uint64_t begin = out.align();
    std::vector<uint64_t> at;
    for (size_t i = 0; i < contexts.size(); ++i) {
      at.push_back(out.bytes.size());
      out.zeros(16);
      out.put<uint32_t>(contexts[i].id);
      out.put<uint8_t>(words[i].flags);
      out.put<uint8_t>(contexts[i].relation);
      out.put<uint8_t>(contexts[i].type);
      out.put<uint8_t>(static_cast<uint8_t>(words[i].words.size()));
      out.zeros(8);
      for (const uint64_t word : words[i].words) out.put<uint64_t>(word);
    }
    out.patch<uint64_t>(parent, out.bytes.size() - begin);
    out.patch<uint64_t>(parent + 8, begin);
    for (size_t i = 0; i < contexts.size(); ++i) write_children(out, contexts[i].below, at[i]);
  }
  /// A module or a file: flags, then the path.
  static uint64_t named(Out& out, const std::string& path) {
    const uint64_t text = out.text(path);
    const uint64_t at = out.align();
    out.put<uint64_t>(0);
    out.put<uint64_t>(text);
    return at;
  }

  /// The summary, then the profiles.
  std::vector<TestProfile> stored() const {
    std::vector<TestProfile> all(1);
    for (const TestProfile& profile : profiles) {
      for (const auto& [context, values] : profile.values) {
        for (const auto& [metric, value] : values) {
          all[0].values[context][static_cast<uint16_t>(kSummaryIds + metric)] += value;
        }
      }
    }
    all.insert(all.end(), profiles.begin(), profiles.end());
    return all;
  }

  std::string build_profile() {
    Out out = header("prof", 2);
    const std::vector<TestProfile> all = stored();
    const uint64_t at = out.align();
    const uint64_t stride = 0x30 + wider;
    out.zeros(0x10);
    const uint64_t array = out.bytes.size();
    out.patch<uint64_t>(at, array);
    out.patch<uint32_t>(at + 8, static_cast<uint32_t>(all.size()));
    out.patch<uint8_t>(at + 12, static_cast<uint8_t>(stride));
    out.zeros(all.size() * stride);
    for (size_t i = 0; i < all.size(); ++i) {
      const uint64_t info = array + i * stride;
      std::vector<std::pair<uint32_t, uint64_t>> index;
      uint64_t count = 0;
      const uint64_t values = out.align();
      for (const auto& [context, row] : all[i].values) {
        index.emplace_back(context, count);
        for (const auto& [metric, value] : row) {
          out.put<uint16_t>(metric);
          out.put<double>(value);
          ++count;
        }
      }
      const uint64_t indices = out.align();
      for (const auto& [context, first] : index) {
        out.put<uint32_t>(context);
        out.put<uint64_t>(first);
      }
      out.patch<uint64_t>(info, count);
      out.patch<uint64_t>(info + 0x08, values);
      out.patch<uint32_t>(info + 0x10, static_cast<uint32_t>(index.size()));
      out.patch<uint64_t>(info + 0x18, indices);
      if (i == 0) {
        out.patch<uint32_t>(info + 0x28, 1);
        continue;
      }
      const uint64_t identity = out.align();
      out.put<uint64_t>(all[i].identity.size());
      for (const auto& [kind, number] : all[i].identity) {
        out.put<uint16_t>(kind);
        out.put<uint16_t>(0);
        out.put<uint32_t>(number);
        out.put<uint64_t>(number);
      }
      out.patch<uint64_t>(info + 0x20, identity);
    }
    section(out, 0, at);
    return end(out, "_prof.db");
  }

  std::string build_cct() {
    Out out = header("ctxt", 1);
    uint32_t contexts = 1;
    // context -> metric -> (profile, value)
    std::map<uint32_t, std::map<uint16_t, std::vector<std::pair<uint32_t, double>>>> by_context;
    for (uint32_t p = 0; p < profiles.size(); ++p) {
      for (const auto& [context, row] : profiles[p].values) {
        contexts = std::max(contexts, context + 1);
        for (const auto& [metric, value] : row) by_context[context][metric].emplace_back(p + 1, value);
      }
    }
    const uint64_t at = out.align();
    const uint64_t stride = 0x20 + wider;
    out.zeros(0x10);
    const uint64_t array = out.bytes.size();
    out.patch<uint64_t>(at, array);
    out.patch<uint32_t>(at + 8, contexts);
    out.patch<uint8_t>(at + 12, static_cast<uint8_t>(stride));
    out.zeros(contexts * stride);
    for (const auto& [context, metrics_of] : by_context) {
      const uint64_t info = array + context * stride;
      std::vector<std::pair<uint16_t, uint64_t>> index;
      uint64_t count = 0;
      const uint64_t values = out.align();
      for (const auto& [metric, row] : metrics_of) {
        index.emplace_back(metric, count);
        for (const auto& [profile, value] : row) {
          out.put<uint32_t>(profile);
          out.put<double>(value);
          ++count;
        }
      }
      const uint64_t indices = out.align();
      for (const auto& [metric, first] : index) {
        out.put<uint16_t>(metric);
        out.put<uint64_t>(first);
      }
      out.patch<uint64_t>(info, count);
      out.patch<uint64_t>(info + 0x08, values);
      out.patch<uint16_t>(info + 0x10, static_cast<uint16_t>(index.size()));
      out.patch<uint64_t>(info + 0x18, indices);
    }
    section(out, 0, at);
    return end(out, "__ctx.db");
  }

  std::string build_trace() {
    Out out = header("trce", 1);
    const uint64_t at = out.align();
    const uint64_t stride = 0x18 + wider;
    out.zeros(0x20);
    const uint64_t array = out.bytes.size();
    out.zeros(profiles.size() * stride);
    uint64_t earliest = UINT64_MAX;
    for (size_t i = 0; i < profiles.size(); ++i) {
      const uint64_t trace = array + i * stride;
      out.patch<uint32_t>(trace, static_cast<uint32_t>(i + 1));
      out.patch<uint64_t>(trace + 8, out.bytes.size());
      for (const auto& [time, context] : profiles[i].trace) {
        earliest = std::min(earliest, time);
        out.put<uint64_t>(time);
        out.put<uint32_t>(context);
      }
      out.patch<uint64_t>(trace + 16, out.bytes.size());
    }
    out.patch<uint64_t>(at, array);
    out.patch<uint32_t>(at + 8, static_cast<uint32_t>(profiles.size()));
    out.patch<uint8_t>(at + 12, static_cast<uint8_t>(stride));
    out.patch<uint64_t>(at + 16, earliest);
    section(out, 0, at);
    return end(out, "trace.db");
  }

  static constexpr size_t kSummaryIds = 100;  // the summary's numbers differ from those of the profiles
};

/// A folder with a database in it that vanishes with the object. Empty contents: no such file.
class TestFolder {
 public:
  explicit TestFolder(const TestDatabase& database) {
    std::string name = "/tmp/cgpu-test-XXXXXX";
    if (!::mkdtemp(name.data())) throw std::runtime_error("cannot make " + name);
    path_ = name;
    write("meta.db", database.meta);
    write("profile.db", database.profile);
    write("cct.db", database.cct);
    write("trace.db", database.trace);
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  void write(const std::string& file, const std::string& bytes) const {
    std::filesystem::remove(path_ + "/" + file);
    if (!bytes.empty()) std::ofstream(path_ + "/" + file, std::ios::binary) << bytes;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace cgpu::hpctoolkit::test
