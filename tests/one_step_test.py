#!/usr/bin/env python3
"""docs/one_step.md says of its example what the program says.

Environment: CGPU (the binary).
"""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

PAGE = os.path.join(tool.ROOT, "docs", "one_step.md")
EXAMPLE = os.path.join(tool.ROOT, "examples", "one_step.json")


def claims():
    """(table, [(column, value) that choose the row], column, value), all as they are written."""
    with open(PAGE, encoding="utf-8") as page:
        for line in page:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if not re.fullmatch(r"\| [a-z_]+ \| .+ \| [a-z_.]+ \| [^|]+ \|[^|]*\|", line.strip()):
                continue
            table, row, column, value = cells[:4]
            if row == "row":  # the heading
                continue
            yield table, [tuple(part.split(" ", 1)) for part in row.split(", ")], column, value


class OneStep(unittest.TestCase):
    def test_every_claim(self):
        rows = {}
        found = list(claims())
        for table, chosen, column, value in found:
            with self.subTest("%s, %s, %s" % (table, chosen, column)):
                if table not in rows:
                    rows[table] = tool.table(EXAMPLE, table)
                mine = [row for row in rows[table] if all(str(row[name]) == want for name, want in chosen)]
                self.assertEqual(len(mine), 1)
                got = mine[0][column]
                if isinstance(got, float):
                    self.assertAlmostEqual(got, float(value), 3)
                else:
                    self.assertEqual(str(got), value)
        self.assertGreater(len({table for table, *_ in found}), 52)


if __name__ == "__main__":
    unittest.main()
