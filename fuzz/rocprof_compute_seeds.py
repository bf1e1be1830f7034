"""Seeds of the fuzz target for rocprof-compute: a database with one of everything, whole, compressed and cut."""
import gzip
import pathlib
import sqlite3
import tempfile

TABLES = """
CREATE TABLE compute_workload(workload_id INTEGER PRIMARY KEY, name TEXT, sys_info_extdata JSON);
CREATE TABLE compute_metadata(id INTEGER PRIMARY KEY, compute_version TEXT, schema_version TEXT);
CREATE TABLE compute_metric_definition(metric_uuid INTEGER PRIMARY KEY, name TEXT, table_name TEXT, sub_table_name TEXT,
  unit TEXT);
CREATE TABLE compute_kernel(kernel_uuid INTEGER PRIMARY KEY, kernel_name TEXT);
CREATE TABLE compute_kernel_roofline_data(roofline_uuid INTEGER PRIMARY KEY, kernel_uuid INTEGER, total_flops FLOAT,
  hbm_cache_data FLOAT);
CREATE TABLE compute_dispatch(dispatch_uuid INTEGER PRIMARY KEY, kernel_uuid INTEGER, dispatch_id INTEGER, gpu_id INTEGER,
  start_timestamp INTEGER, end_timestamp INTEGER);
CREATE TABLE compute_pcsampling(id INTEGER PRIMARY KEY, kernel_uuid INTEGER, count INTEGER, count_issue INTEGER,
  count_stall INTEGER, stall_reason JSON);
CREATE TABLE compute_kernel_metric_value(value_uuid INTEGER PRIMARY KEY, metric_uuid INTEGER, kernel_uuid INTEGER,
  value_name TEXT, value FLOAT);
INSERT INTO compute_workload VALUES (1, 'w', '{"hostname": "node", "gpu_model": "MI300X", "cu_per_gpu": 304}');
INSERT INTO compute_metadata VALUES (1, '3.5.0', '1.3.0');
INSERT INTO compute_metric_definition VALUES (1, 'L2 Cache BW', 'System Speed-of-Light', '', 'Gb/s'),
  (2, 'HBM Bandwidth', 'Roofline', 'Roofline Performance Rates', 'Gb/s'), (3, 'VGPRs', 'Wavefront', '', 'Registers');
INSERT INTO compute_kernel VALUES (5, 'f(int)'), (6, 'g');
INSERT INTO compute_kernel_roofline_data VALUES (1, 5, 8.0, 0.5), (2, 6, 0, 0);
INSERT INTO compute_dispatch VALUES (1, 5, 0, 2, 1000, 1500), (2, 6, 3, 2, 2000, 1900), (3, 9, 4, 2, 1, 2);
INSERT INTO compute_pcsampling VALUES (1, 5, 10, 4, 6, '{"WAITCNT": 5, "ALU_DEPENDENCY": 1}'), (2, 5, 1, 0, 1, '[');
INSERT INTO compute_kernel_metric_value VALUES (1, 1, 5, 'Pct of Peak', 40.0), (2, 2, 5, 'Value', 1e308),
  (3, 2, 5, 'Peak (Empirical)', 0), (4, 3, 5, 'Avg', NULL), (5, 3, 6, 'Avg', 1e300);
"""


def seeds():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.db"
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA page_size = 512")
        connection.executescript(TABLES)
        connection.commit()
        connection.close()
        whole = path.read_bytes()
    yield "whole.db", whole
    yield "whole.db.gz", gzip.compress(whole, mtime=0)
    yield "truncated.db", whole[:len(whole) * 2 // 3]
