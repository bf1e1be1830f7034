"""Seeds of the fuzz target for rocmProfileData: a database of each schema, whole, compressed and cut."""
import gzip
import pathlib
import sqlite3
import tempfile

TABLES = """
CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY AUTOINCREMENT, string TEXT);
CREATE TABLE rocpd_op(id INTEGER PRIMARY KEY AUTOINCREMENT, gpuId INTEGER, queueId INTEGER, sequenceId INTEGER,
  start INTEGER, "end" INTEGER, description_id INTEGER, opType_id INTEGER);
CREATE TABLE rocpd_api_ops(id INTEGER PRIMARY KEY AUTOINCREMENT, api_id INTEGER, op_id INTEGER);
CREATE TABLE rocpd_kernelapi(api_ptr_id INTEGER PRIMARY KEY, stream TEXT);
CREATE TABLE rocpd_copyapi(api_ptr_id INTEGER PRIMARY KEY, stream TEXT, size INTEGER);
CREATE TABLE rocpd_monitor(id INTEGER PRIMARY KEY, deviceType TEXT, deviceId INTEGER, monitorType TEXT, start INTEGER,
  "end" INTEGER, value TEXT);
INSERT INTO rocpd_string VALUES (1, ''), (2, 'hipLaunchKernel'), (3, 'UserMarker'), (4, 'KernelExecution'),
  (5, 'CopyHostToDevice'), (6, 'gemm'), (7, 'step 1');
INSERT INTO rocpd_op VALUES (1, 2, 0, 0, 200, 260, 6, 4), (2, 2, 1, 0, 270, 265, 1, 5);
INSERT INTO rocpd_api_ops VALUES (1, 10, 1), (2, 11, 2);
INSERT INTO rocpd_kernelapi VALUES (10, '0x55aa');
INSERT INTO rocpd_copyapi VALUES (11, '0x0', 4096);
INSERT INTO rocpd_monitor VALUES (1, 'gpu', 2, 'sclk', 100, 200, '1700');
"""
CALLS = """
CREATE TABLE rocpd_api(id INTEGER PRIMARY KEY AUTOINCREMENT, pid INTEGER, tid INTEGER, start INTEGER, "end" INTEGER,
  apiName_id INTEGER, args_id INTEGER{more});
INSERT INTO rocpd_api(id, pid, tid, start, "end", apiName_id, args_id) VALUES (10, 7, 8, 100, 110, 2, 1),
  (11, 7, 8, 120, 130, 2, 1), (12, 7, 8, 90, 400, 3, 7), (13, 7, 8, 95, 95, 3, 7);
"""
MESSAGES = "CREATE TABLE rocpd_ustring(id INTEGER PRIMARY KEY, string TEXT); INSERT INTO rocpd_ustring VALUES (7, 'step 2');"


def database(*statements):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.rpd"
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA page_size = 512")
        for statement in statements:
            connection.executescript(statement)
        connection.commit()
        connection.close()
        return path.read_bytes()


def seeds():
    second = database(TABLES, CALLS.format(more=""))
    yield "schema_2.rpd", second
    yield "schema_2.rpd.gz", gzip.compress(second, mtime=0)
    yield "schema_3.rpd", database(TABLES, CALLS.format(more=", category_id INTEGER, domain_id INTEGER"), MESSAGES)
    yield "truncated.rpd", second[:len(second) * 2 // 3]
