#!/usr/bin/env python3
"""The queries over the same rows in DuckDB, in its own storage in memory, loaded from the CSV of `cgpu table`."""
import json
import sys
import time

import duckdb

database = duckdb.connect()
database.execute("SET default_null_order = 'nulls_first'")  # as SQLite does
start = time.perf_counter()
database.execute("CREATE TABLE slices AS SELECT * FROM read_csv(?, header = true, sample_size = -1)", [sys.argv[1]])
loading = time.perf_counter() - start
answers = {}
for name, query in json.load(open(sys.argv[2], encoding="utf-8")).items():
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        rows = database.execute(query).fetchall()
        seconds.append(time.perf_counter() - start)
    answers[name] = {"s": seconds, "rows": [[int(v) if isinstance(v, bool) else v for v in row] for row in rows]}
print(json.dumps({"load_s": loading, "queries": answers}, default=float))
