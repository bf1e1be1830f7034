// For tests: writes small Nsight Systems exports, any version of them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "readers/common/sqlite/test_database.h"

namespace cgpu::test {

/// Thread ids of process 100 and 200: <hardware:8><machine:8><process:24><thread:24>.
inline constexpr int64_t kProcessA = (int64_t{1} << 48) | (int64_t{100} << 24);
inline constexpr int64_t kProcessB = (int64_t{1} << 48) | (int64_t{200} << 24);

/// StringIds and what every export has.
inline void add_basics(TestDatabase& database) {
  database.sql(R"(
    CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
    INSERT INTO StringIds VALUES (1, 'void gemm<float>(int)'), (2, 'gemm'), (3, 'cudaLaunchKernel_v7000'),
      (4, 'cudaMemcpyAsync_v3020'), (5, 'poll'), (6, 'aten::mm, seq = 7, op_id = 12'), (7, 'step'), (8, 'NCCL'),
      (9, 'cudaStreamSynchronize_v3020'), (10, 'cuLaunchKernel'), (11, 'main thread'), (12, 'cudaGraphLaunch_v10000'),
      (13, 'cudaMemsetAsync_v3020'), (14, 'CUPTI Buffer flush'), (15, 'Lazy Function Loading');
    CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
    INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.25.0'), ('EXPORT_PRODUCT_VERSION', '2026.2.1'),
      ('EXPORT_PARAM_TIME_NORMALIZE', 'false');
    CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);
    INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);
    CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, smCount INTEGER, totalMemory INTEGER, threadsPerWarp INTEGER,
      computeMajor INTEGER, computeMinor INTEGER);
    INSERT INTO TARGET_INFO_GPU VALUES (1, 'NVIDIA H100', 132, 84942979072, 32, 9, 0),
      (0, 'NVIDIA H100', 132, 84942979072, 32, 9, 0);
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,
      correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
      streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER,
      gridX INTEGER, registersPerThread INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,
      correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,
      correlationId INTEGER, globalPid INTEGER, bytes INTEGER, memKind INTEGER, value INTEGER);
    CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER,
      endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
  )");
}

inline std::string row(std::initializer_list<int64_t> values) {
  std::string text = "(";
  for (const int64_t value : values) text.append(text.size() > 1 ? ", " : "").append(std::to_string(value));
  return text + ")";
}

inline void add_call(TestDatabase& database, int64_t start, int64_t end, int64_t thread, int64_t correlation,
                     int64_t name, int64_t event_class = 0) {
  database.sql("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES " +
               row({start, end, event_class, thread, correlation, name, 0}));
}

inline void add_kernel(TestDatabase& database, int64_t start, int64_t end, int64_t process, int64_t correlation,
                       int64_t device = 0, int64_t stream = 7) {
  database.sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES " +
               row({start, end, device, 1, stream, correlation, process, 1, 2, 64, 32}));
}

/// Rows of every table that the reader knows, of two processes that use the same correlation ids.
inline void add_rows(TestDatabase& database) {
  add_call(database, 100, 110, kProcessA + 100, 1, 3);
  add_call(database, 100, 115, kProcessB + 200, 1, 10, 1);
  add_kernel(database, 120, 150, kProcessA, 1, 0);
  add_kernel(database, 130, 190, kProcessB, 1, 1);
  add_call(database, 200, 205, kProcessA + 100, 2, 4);
  database.sql("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES " + row({210, 250, 0, 7, 2, kProcessA, 4096, 1, 0, 2}) +
               "," + row({260, 270, 0, 7, 3, kProcessA, 512, 2, 2, 1}));
  database.sql("INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES " + row({280, 285, 0, 7, 4, kProcessA, 64, 2, 0}));
  const std::string thread = std::to_string(kProcessA + 100);
  const std::string other = std::to_string(kProcessB + 200);
  database.sql("INSERT INTO NVTX_EVENTS VALUES (90, 300, 59, NULL, " + thread + ", NULL, 7, 0), (95, 112, 59, NULL, " +
               thread + ", NULL, 6, 0), (99, 101, 59, 'ncclAllReduce', " + thread + ", NULL, NULL, 3), (96, 400, 60, " +
               "'across', " + thread + ", " + other + ", NULL, 0), (150, NULL, 59, 'open', " + thread +
               ", NULL, NULL, 0), (80, NULL, 75, 'NCCL', " + thread + ", NULL, NULL, 3), (160, NULL, 34, 'mark', " +
               thread + ", NULL, NULL, 0)");
}

}  // namespace cgpu::test
