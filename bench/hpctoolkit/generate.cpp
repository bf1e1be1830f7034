// Writes an HPCToolkit 4 database of a given size: hpctoolkit_database FOLDER MEGABYTES
//
// A program of functions and lines is sampled in many threads. Each thread is seen at a part of the places; what it
// costs there and below, at the function, and at exactly this place is stored for two metrics, once by thread
// (profile.db) and once by place (cct.db), as hpcprof does. The same size gives the same bytes.
#include <sys/stat.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Random = std::minstd_rand;  // 32-bit numbers that are the same everywhere

constexpr uint32_t kFunctions = 50'000;  // each with three lines below it
constexpr uint32_t kContexts = 4 * kFunctions + 2;
constexpr uint32_t kSeen = 12'000;  // places at which a thread is sampled
constexpr int kScopes = 3;          // point, function, execution
constexpr int kMetrics = 2;

class Out {
 public:
  Out(const std::string& path, const char* format, int sections) : file_(std::fopen(path.c_str(), "wb")) {
    if (file_ == nullptr) throw std::runtime_error("cannot write " + path);
    text(std::string("HPCTOOLKIT") + format);
    put<uint8_t>(4);
    put<uint8_t>(0);
    zeros(16 * static_cast<size_t>(sections));
  }
  ~Out() { std::fclose(file_); }
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;

  uint64_t at() const { return at_; }
  void bytes(const void* from, size_t size) {
    if (std::fwrite(from, 1, size, file_) != size) throw std::runtime_error("cannot write");
    at_ += size;
  }
  template <typename T>
  void put(T value) {
    bytes(&value, sizeof value);
  }
  uint64_t text(const std::string& text) {
    const uint64_t begin = at_;
    bytes(text.data(), text.size());
    return begin;
  }
  uint64_t name(const std::string& text) {
    const uint64_t begin = at_;
    bytes(text.c_str(), text.size() + 1);
    return begin;
  }
  void zeros(size_t count) { text(std::string(count, '\0')); }
  uint64_t align() {
    zeros((8 - at_ % 8) % 8);
    return at_;
  }
  template <typename T>
  void patch(uint64_t place, T value) {
    std::fseek(file_, static_cast<long>(place), SEEK_SET);
    std::fwrite(&value, 1, sizeof value, file_);
    std::fseek(file_, 0, SEEK_END);
  }
  void section(int index, uint64_t begin) {
    patch<uint64_t>(16 + 16 * static_cast<uint64_t>(index), at_ - begin);
    patch<uint64_t>(24 + 16 * static_cast<uint64_t>(index), begin);
  }

 private:
  std::FILE* file_;
  uint64_t at_ = 0;
};

uint32_t draw(Random& random) {
  return static_cast<uint32_t>(random());
}

/// Context 1 is the entry; function f is 2 + 4 f, its lines are the next three. A function is called in the first line
/// of one of those before it.
uint32_t function_context(uint32_t function) {
  return 2 + 4 * function;
}
std::vector<uint32_t> callers() {
  Random random(1);
  std::vector<uint32_t> caller(kFunctions, 0);
  for (uint32_t f = 1; f < kFunctions; ++f) {
    const uint32_t nearest = f < 64 ? 0 : f - 64;
    caller[f] = nearest + draw(random) % (f - nearest);
    if (draw(random) % 2 == 0) caller[f] /= 2;
  }
  return caller;
}

std::vector<uint32_t> parents(const std::vector<uint32_t>& caller) {
  std::vector<uint32_t> parent(kContexts, 0);
  for (uint32_t f = 0; f < kFunctions; ++f) {
    parent[function_context(f)] = f == 0 ? 1 : function_context(caller[f]) + 1;
    for (uint32_t line = 1; line <= 3; ++line) parent[function_context(f) + line] = function_context(f);
  }
  return parent;
}

void write_meta(const std::string& folder, const std::vector<uint32_t>& caller) {
  Out out(folder + "/meta.db", "meta", 8);
  const uint64_t title = out.name("generated program");
  const uint64_t general = out.align();
  out.put<uint64_t>(title);
  out.put<uint64_t>(title);
  out.section(0, general);

  std::vector<uint64_t> kinds;
  for (const char* kind : {"SUMMARY", "NODE", "RANK", "THREAD"}) kinds.push_back(out.name(kind));
  const uint64_t kind_array = out.align();
  for (const uint64_t kind : kinds) out.put<uint64_t>(kind);
  const uint64_t names = out.at();
  out.put<uint64_t>(kind_array);
  out.put<uint64_t>(kinds.size());
  out.section(1, names);

  std::vector<uint64_t> scope_names;
  for (const char* scope : {"point", "function", "execution"}) scope_names.push_back(out.name(scope));
  const uint64_t formula = out.name("$$");
  const uint64_t metric_names[kMetrics] = {out.name("CPUTIME (sec)"), out.name("cycles")};
  const uint64_t scopes = out.align();
  constexpr uint8_t kTypes[kScopes] = {1, 0, 2};
  for (int s = 0; s < kScopes; ++s) {
    out.put<uint64_t>(scope_names[static_cast<size_t>(s)]);
    out.put<uint64_t>(kTypes[s]);
  }
  const uint64_t metrics = out.at();
  const uint64_t instances = metrics + 32 * kMetrics;
  const uint64_t summaries = instances + 16 * kMetrics * kScopes;
  for (uint64_t m = 0; m < kMetrics; ++m) {
    out.put<uint64_t>(metric_names[m]);
    out.put<uint64_t>(instances + 16 * kScopes * m);
    out.put<uint64_t>(summaries + 24 * kScopes * m);
    out.put<uint16_t>(kScopes);
    out.put<uint16_t>(kScopes);
    out.put<uint32_t>(0);
  }
  for (uint64_t i = 0; i < kMetrics * kScopes; ++i) {
    out.put<uint64_t>(scopes + 16 * (i % kScopes));
    out.put<uint64_t>(i);
  }
  for (uint64_t i = 0; i < kMetrics * kScopes; ++i) {
    out.put<uint64_t>(scopes + 16 * (i % kScopes));
    out.put<uint64_t>(formula);
    out.put<uint64_t>(i << 16);  // combine: sum; then the number
  }
  const uint64_t section = out.at();
  out.put<uint64_t>(metrics);
  out.put<uint32_t>(kMetrics);
  for (const int stride : {32, 16, 24, 0}) out.put(static_cast<uint8_t>(stride));
  out.put<uint64_t>(scopes);
  out.put<uint64_t>(kScopes | 16 << 16);
  out.section(2, section);

  const uint64_t path = out.name("/source/program.c");
  const uint64_t module_path = out.name("/bin/program");
  const uint64_t file = out.align();
  out.put<uint64_t>(0);
  out.put<uint64_t>(path);
  const uint64_t module = out.at();
  out.put<uint64_t>(0);
  out.put<uint64_t>(module_path);
  std::vector<uint64_t> function_names;
  for (uint32_t f = 0; f < kFunctions; ++f) function_names.push_back(out.name("function_" + std::to_string(f)));
  const uint64_t functions = out.align();
  for (uint32_t f = 0; f < kFunctions; ++f) {
    out.put<uint64_t>(function_names[f]);
    out.put<uint64_t>(module);
    out.put<uint64_t>(0);
    out.put<uint64_t>(file);
    out.put<uint32_t>(10 * f + 1);
    out.put<uint32_t>(0);
  }
  std::vector<std::vector<uint32_t>> called(kFunctions);
  for (uint32_t f = 1; f < kFunctions; ++f) called[caller[f]].push_back(f);

  // A function takes 40 bytes, its three lines 48 each; the children of one node are side by side.
  const uint64_t tree = out.at();
  out.put<uint64_t>(tree + 16);
  out.put<uint64_t>(1 | 32 << 16);
  constexpr uint64_t kFunction = 40, kLine = 48;
  uint64_t next = tree + 16 + 32;
  std::vector<uint64_t> callees_at(kFunctions), lines_at(kFunctions);
  const uint64_t main_at = next;
  next += kFunction;
  for (uint32_t f = 0; f < kFunctions; ++f) {
    lines_at[f] = next;
    next += 3 * kLine;
    callees_at[f] = next;
    next += kFunction * called[f].size();
  }
  const uint64_t entry_name = next;
  out.put<uint64_t>(kFunction);
  out.put<uint64_t>(main_at);
  out.put<uint32_t>(1);
  out.put<uint32_t>(1);  // the main thread
  out.put<uint64_t>(entry_name);
  const auto put_function = [&](uint32_t f) {
    out.put<uint64_t>(3 * kLine);
    out.put<uint64_t>(lines_at[f]);
    out.put<uint32_t>(function_context(f));
    for (const int byte : {1, 1, 0, 1})
      out.put(static_cast<uint8_t>(byte));  // names a function; call; function; one word
    out.put<uint64_t>(0);
    out.put<uint64_t>(functions + 40 * uint64_t{f});
  };
  put_function(0);
  for (uint32_t f = 0; f < kFunctions; ++f) {
    for (uint32_t line = 1; line <= 3; ++line) {
      out.put<uint64_t>(line == 1 ? kFunction * called[f].size() : 0);
      out.put<uint64_t>(line == 1 && !called[f].empty() ? callees_at[f] : 0);
      out.put<uint32_t>(function_context(f) + line);
      for (const int byte : {2, 0, 2, 2})
        out.put(static_cast<uint8_t>(byte));  // names a place; lexical; line; two words
      out.put<uint64_t>(0);
      out.put<uint64_t>(file);
      out.put<uint64_t>(10 * f + 1 + line);
    }
    for (const uint32_t callee : called[f]) put_function(callee);
  }
  out.name("main thread");
  out.section(3, tree);
  out.text("_meta.db");
}

struct Values {
  uint32_t context;
  double of[kMetrics * kScopes];
};

/// What one thread measured, by context. Samples are a hundredth of a second and 25 million cycles.
std::vector<Values> sample(uint32_t thread, const std::vector<uint32_t>& parent) {
  Random random(thread + 7);
  std::vector<uint32_t> point(kContexts, 0), function(kContexts, 0), execution(kContexts, 0);
  for (uint32_t i = 0; i < kSeen; ++i) {
    const uint32_t place = 2 + draw(random) % (kContexts - 2);
    point[place] += 1 + draw(random) % 8;
  }
  for (uint32_t context = kContexts; context-- > 1;) {
    const uint32_t above = parent[context];
    execution[context] += point[context];
    function[context] += point[context];
    execution[above] += execution[context];
    if ((context - 2) % 4 != 0 && context > 1) function[above] += point[context];  // a line of its function
  }
  std::vector<Values> values;
  for (uint32_t context = 0; context < kContexts; ++context) {
    if (execution[context] == 0) continue;
    Values row{context, {}};
    for (int m = 0; m < kMetrics; ++m) {
      const double unit = m == 0 ? 0.01 : 25e6;
      row.of[m * kScopes] = unit * point[context];
      row.of[m * kScopes + 1] = unit * function[context];
      row.of[m * kScopes + 2] = unit * execution[context];
    }
    values.push_back(row);
  }
  return values;
}

void write_profile(Out& out, uint64_t info, const std::vector<Values>& rows) {
  std::vector<std::pair<uint32_t, uint64_t>> index;
  uint64_t count = 0;
  const uint64_t begin = out.align();
  for (const Values& row : rows) {
    index.emplace_back(row.context, count);
    for (uint16_t m = 0; m < kMetrics * kScopes; ++m) {
      if (row.of[m] == 0) continue;
      out.put<uint16_t>(m);
      out.put<double>(row.of[m]);
      ++count;
    }
  }
  const uint64_t lookup = out.align();
  for (const auto& [context, first] : index) {
    out.put<uint32_t>(context);
    out.put<uint64_t>(first);
  }
  out.patch<uint64_t>(info, count);
  out.patch<uint64_t>(info + 0x08, begin);
  out.patch<uint32_t>(info + 0x10, static_cast<uint32_t>(index.size()));
  out.patch<uint64_t>(info + 0x18, lookup);
}

/// The numbers of the threads in profile.db are one more: 0 is the summary.
void write_cct(const std::string& folder, const std::vector<std::vector<Values>>& threads) {
  Out out(folder + "/cct.db", "ctxt", 1);
  const uint64_t section = out.align();
  const uint64_t infos = section + 16;
  out.put<uint64_t>(infos);
  out.put<uint64_t>(kContexts | uint64_t{32} << 32);
  out.zeros(size_t{32} * kContexts);
  std::vector<size_t> next(threads.size(), 0);
  for (uint32_t context = 0; context < kContexts; ++context) {
    std::vector<std::pair<uint32_t, const Values*>> here;
    for (uint32_t t = 0; t < threads.size(); ++t) {
      if (next[t] < threads[t].size() && threads[t][next[t]].context == context) {
        here.emplace_back(t + 1, &threads[t][next[t]++]);
      }
    }
    if (here.empty()) continue;
    const uint64_t begin = out.align();
    std::vector<std::pair<uint16_t, uint64_t>> index;
    uint64_t count = 0;
    for (uint16_t m = 0; m < kMetrics * kScopes; ++m) {
      const uint64_t first = count;
      for (const auto& [thread, row] : here) {
        if (row->of[m] == 0) continue;
        out.put<uint32_t>(thread);
        out.put<double>(row->of[m]);
        ++count;
      }
      if (count > first) index.emplace_back(m, first);
    }
    const uint64_t lookup = out.align();
    for (const auto& [metric, first] : index) {
      out.put<uint16_t>(metric);
      out.put<uint64_t>(first);
    }
    const uint64_t info = infos + uint64_t{32} * context;
    out.patch<uint64_t>(info, count);
    out.patch<uint64_t>(info + 0x08, begin);
    out.patch<uint16_t>(info + 0x10, static_cast<uint16_t>(index.size()));
    out.patch<uint64_t>(info + 0x18, lookup);
  }
  out.section(0, section);
  out.text("__ctx.db");
}

void write_profiles(const std::string& folder, const std::vector<std::vector<Values>>& threads) {
  Out out(folder + "/profile.db", "prof", 2);
  const uint64_t section = out.align();
  const uint64_t infos = section + 16;
  out.put<uint64_t>(infos);
  out.put<uint64_t>((threads.size() + 1) | uint64_t{48} << 32);
  out.zeros(48 * (threads.size() + 1));
  std::vector<Values> summary(kContexts);
  for (uint32_t context = 0; context < kContexts; ++context) summary[context].context = context;
  for (const std::vector<Values>& thread : threads) {
    for (const Values& row : thread) {
      for (int m = 0; m < kMetrics * kScopes; ++m) summary[row.context].of[m] += row.of[m];
    }
  }
  std::erase_if(summary, [](const Values& row) { return row.of[2] == 0; });
  write_profile(out, infos, summary);
  out.patch<uint32_t>(infos + 0x28, 1);
  for (size_t t = 0; t < threads.size(); ++t) {
    const uint64_t info = infos + 48 * (t + 1);
    write_profile(out, info, threads[t]);
    const uint64_t identity = out.align();
    out.put<uint64_t>(2);
    for (const auto& [kind, number] : {std::pair<uint16_t, size_t>(2, t / 16), {3, t % 16}}) {
      out.put<uint16_t>(kind);
      out.put<uint16_t>(0);
      out.put<uint32_t>(static_cast<uint32_t>(number));
      out.put<uint64_t>(number);
    }
    out.patch<uint64_t>(info + 0x20, identity);
  }
  out.section(0, section);
  out.text("_prof.db");
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) throw std::runtime_error("hpctoolkit_database FOLDER MEGABYTES");
  const std::string folder = arguments[1];
  const double bytes = std::atof(arguments[2]) * 1e6;
  ::mkdir(folder.c_str(), 0755);
  const std::vector<uint32_t> caller = callers();
  const std::vector<uint32_t> parent = parents(caller);
  write_meta(folder, caller);
  std::vector<std::vector<Values>> threads;
  double stored = 40e6;  // the call tree, the summary, and the index of the places
  while (stored < bytes) {
    threads.push_back(sample(static_cast<uint32_t>(threads.size()), parent));
    for (const Values& row : threads.back()) {
      stored += 12;
      for (const double value : row.of) stored += value == 0 ? 0 : 22;
    }
  }
  write_profiles(folder, threads);
  write_cct(folder, threads);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
