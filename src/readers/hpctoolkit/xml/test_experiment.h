// For tests: writes databases of HPCToolkit 2 from what they shall say: experiment.xml, and one metric-db a thread.
#pragma once

#include <stdlib.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace cgpu::hpctoolkit_xml::test {

/// The table of one thread: a row a node, in each row a value a column.
inline std::string metric_db(const std::vector<std::vector<double>>& rows, bool big_endian = true) {
  std::string bytes = std::string("HPCPROF-metricdb__") + "00.10" + (big_endian ? 'b' : 'l');
  const auto put = [&](uint64_t bits, int size) {
    for (int i = 0; i < size; ++i) {
      const int shift = 8 * (big_endian ? size - 1 - i : i);
      bytes += static_cast<char>(bits >> shift & 0xff);
    }
  };
  put(rows.size(), 4);
  put(rows.empty() ? 0 : rows.front().size(), 4);
  for (const std::vector<double>& row : rows) {
    for (const double value : row) {
      uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      put(bits, 8);
    }
  }
  return bytes;
}

/// What is around the tree of a program: a metric, its columns, and tables of names.
inline std::string experiment(const std::string& tree, const std::string& more_metrics = "",
                              const std::string& version = "2.1") {
  return R"xml(<?xml version="1.0"?>
<!DOCTYPE HPCToolkitExperiment [
<!ELEMENT HPCToolkitExperiment (Header, SecCallPathProfile*)>
<!ATTLIST Metric show (1|0) "1">
<!ENTITY tool "a tool">
]>
<HPCToolkitExperiment version=")xml" +
         version + R"xml(">
<Header n="program &amp; &tool;"/>
<SecCallPathProfile i="0" n="program">
<SecHeader>
  <MetricTable>
    <Metric i="2" n="CPUTIME (usec):Sum (I)" v="derived-incr" t="inclusive" partner="3">
      <MetricFormula t="combine" frm="sum($2, $2)"/>
    </Metric>
    <Metric i="3" n="CPUTIME (usec):Sum (E)" v="derived-incr" t="exclusive" partner="2"/>)xml" +
         more_metrics + R"xml(
  </MetricTable>
  <MetricDBTable>
    <MetricDB i="0" n="CPUTIME (usec) (I)" t="inclusive" db-id="0" db-num-metrics="2" db-header-sz="24"/>
    <MetricDB i="1" n="CPUTIME (usec) (E)" t="exclusive" db-id="1" db-num-metrics="2" db-header-sz="24"/>
  </MetricDBTable>
  <LoadModuleTable><LoadModule i="2" n="/bin/program"/></LoadModuleTable>
  <FileTable><File i="3" n="./src/main.c"/><File i="4" n="&lt;unknown file&gt; [program]"/></FileTable>
  <ProcedureTable>
    <Procedure i="5" n="&lt;program root&gt;" f="1"/><Procedure i="6" n="main"/><Procedure i="7" n="work"/>
    <Procedure i="8" n="inlined&lt;int&gt;"/>
  </ProcedureTable>
</SecHeader>
<SecCallPathProfileData>
)xml" + tree +
         R"xml(
</SecCallPathProfileData>
</SecCallPathProfile>
</HPCToolkitExperiment>
)xml";
}

/// main (3) calls work (5) in line 12 and in line 14; work has a loop with a statement; main a statement and a call of
/// something that was not seen (12).
inline std::string small_tree() {
  return R"xml(<M n="2" v="100"/>
<PF i="2" n="5" lm="2" f="4" l="0"><M n="2" v="100"/>
<C i="3" l="0"><M n="2" v="100"/><PF i="4" n="6" lm="2" f="3" l="10"><M n="2" v="100"/>
  <C i="5" l="12"><PF i="6" n="7" lm="2" f="3" l="20-25">
    <L i="7" l="21-23" f="3"><S i="8" l="22"/></L>
    <Pr i="9" n="8" lm="2" f="3" l="40" a="1"><S i="10" l="41"/></Pr>
  </PF></C>
  <C i="11" l="14"><PF i="12" n="7" lm="2" f="3" l="20-25"><S i="13" l="22"/></PF></C>
  <S i="14" l="11"/>
  <C i="15" l="16"><M n="2" v="1"/></C>
</PF></C></PF>)xml";
}

/// Rows of `small_tree` for one thread: a whole number of units, inclusive and exclusive.
inline std::vector<std::vector<double>> small_rows(double unit) {
  std::vector<std::vector<double>> rows(15, {0, 0});
  const auto set = [&](size_t id, double inclusive, double exclusive) {
    rows[id - 1] = {inclusive * unit, exclusive * unit};
  };
  for (const size_t id : {1u, 2u, 3u, 4u}) set(id, 50, id == 4 ? 6 : 0);
  for (const size_t id : {5u, 6u}) set(id, 30, id == 6 ? 20 : 0);
  set(7, 20, 20);
  set(8, 20, 20);
  set(9, 10, 10);
  set(10, 10, 10);
  set(11, 13, 0);
  set(12, 13, 13);
  set(13, 13, 13);
  set(14, 6, 6);
  set(15, 1, 1);
  return rows;
}

/// A folder that vanishes with the object.
class TestFolder {
 public:
  TestFolder() {
    std::string name = "/tmp/cgpu-test-XXXXXX";
    if (!::mkdtemp(name.data())) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  void write(const std::string& file, const std::string& bytes) const {
    std::filesystem::remove(path_ + "/" + file);
    std::ofstream(path_ + "/" + file, std::ios::binary) << bytes;
  }
  /// The values of one thread of one rank.
  void write_thread(int rank, int thread, const std::string& bytes) const {
    write("1.my-program-00000" + std::to_string(rank) + "-" + (thread < 10 ? "00" : "") + std::to_string(thread) +
              "-a8c00270-1604-0.metric-db",
          bytes);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace cgpu::hpctoolkit_xml::test
