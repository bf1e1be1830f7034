#!/usr/bin/env python3
"""The queries over the same rows in a plain SQLite file, as `cgpu export -o run.sqlite` writes it."""
import json
import sqlite3
import sys
import time

database = sqlite3.connect(sys.argv[1])
database.execute("PRAGMA temp_store = MEMORY")
if "indexed" in sys.argv:
    for column in ("name", "start_ns"):
        database.execute("CREATE INDEX IF NOT EXISTS slices_%s ON slices (%s)" % (column, column))
answers = {}
for name, query in json.load(open(sys.argv[2], encoding="utf-8")).items():
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        rows = database.execute(query).fetchall()
        seconds.append(time.perf_counter() - start)
    answers[name] = {"s": seconds, "rows": rows}
print(json.dumps({"queries": answers}))
