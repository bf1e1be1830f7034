"""How long rows of three columns of numbers take from a cgpu.Table to a pyarrow.Table, which must have the same buffers. Prints
seconds, the first time and the median of seven more."""
import json
import pathlib
import statistics
import sys
import time

import cgpu
import pyarrow

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from oracle.arrow_addresses import buffer_addresses  # pylint: disable=wrong-import-position

ROWS = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT %d) SELECT i AS a, 2 * i AS b, i + 0.5 AS c FROM n"

session = cgpu.open(str(ROOT / "examples/generated_training.json.gz"))
pyarrow.table(session.table("kernels"))  # what is done once
table = session.sql(ROWS % int(sys.argv[1]))
seconds = []
for _ in range(8):
    start = time.perf_counter()
    arrow = pyarrow.table(table)
    seconds.append(time.perf_counter() - start)
found = [(column.num_chunks, column.chunk(0).buffers()[1].address) for column in arrow.columns]
if arrow.num_rows != int(sys.argv[1]) or found != [(1, address) for address in buffer_addresses(table)]:
    sys.exit("the numbers were copied")
print(json.dumps([seconds[0], statistics.median(seconds[1:])]))
