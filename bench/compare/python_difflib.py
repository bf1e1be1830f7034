"""Python's own difference, as scripts use it."""
import array
import difflib
import json
import sys
import time

a, b = (array.array("I", open(path, "rb").read()).tolist() for path in sys.argv[1:])
begin = time.perf_counter()
blocks = difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
print(json.dumps({"seconds": time.perf_counter() - begin, "length": sum(block.size for block in blocks)}))
