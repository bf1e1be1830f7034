#!/usr/bin/env python3
"""Tables of the Python package (python/) in other libraries, held against pyarrow, pandas and polars: exact, without copies, in
batches; and in other processes.

Environment: CGPU (the binary in its build folder).
"""
import os
import pickle
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle.arrow_addresses import buffer_addresses  # noqa: E402
from oracle.python_package import (EVENTS, EXAMPLE, OTHER, USE, imported, opened, rows_of, run, site_packages,  # noqa: E402
                                   write_many_events)

cgpu = pyarrow = pandas = None


def setUpModule():
    global cgpu, pyarrow, pandas
    cgpu, pyarrow, pandas = imported("cgpu", "pyarrow", "pandas")


class Libraries(unittest.TestCase):
    def setUp(self):
        self.session = opened(EXAMPLE)
        self.addCleanup(self.session.close)

    def test_arrow(self):
        for name in ("kernels", "idle", "memory", EVENTS):
            with self.subTest(name):
                table = self.session.table(name)
                arrow = table.to_arrow()
                arrow.validate(full=True)
                self.assertEqual([list(row.values()) for row in arrow.to_pylist()], rows_of(table))
                self.assertEqual(arrow.schema.metadata[b"name"].decode(), name)
                for column, field in zip(table.columns, arrow.schema):
                    self.assertEqual(field.metadata, {b"unit": column.unit.encode(), b"about": column.about.encode(),
                                                      b"role": column.role.encode()})
                self.assertEqual(pyarrow.schema(table), arrow.schema)

    def test_pandas_is_exact(self):
        for name in ("kernels", "idle", "memory", "device_trace", EVENTS):
            with self.subTest(name):
                table = self.session.table(name)
                frame = table.to_pandas()
                self.assertEqual(list(frame.columns), table.column_names)
                rows = rows_of(table)
                for at, column in enumerate(table.columns):
                    want = [row[at] for row in rows]
                    got = [None if value is pandas.NA or value != value else value for value in frame[column.name]]
                    self.assertEqual(got, want, column.name)
                    if column.type == "int":
                        self.assertIn(str(frame[column.name].dtype), ("int64", "Int64"))
                self.assertEqual(frame.attrs["units"], {c.name: c.unit for c in table.columns if c.unit})

    def test_pandas_has_the_categories_that_occur(self):
        table = self.session.table("slices", where="kind = kernel")
        frame = table.to_pandas()
        for column in (column.name for column in table.columns if column.type == "text"):
            self.assertEqual(set(frame[column].cat.categories), {value for value in table[column] if value is not None}, column)
        self.assertEqual(len(frame.groupby("kind", observed=False)), 1)

    def test_tables_are_pickled_with_all_they_have(self):
        compared = cgpu.compare(self.session, OTHER).table("summary")
        tables = [self.session.table(name) for name in ("kernels", "idle", "memory", EVENTS)]
        tables += [compared, cgpu.tables(), self.session.sql("SELECT 1 i, 1.5 r, 'x' t, NULL n"), self.session.table("kernels", top=0, where="count < 0")]
        for table in tables:
            with self.subTest(table.name):
                again = pickle.loads(pickle.dumps(table))
                self.assertEqual((again.name, again.about, again.per, again.columns), (table.name, table.about, table.per, table.columns))
                self.assertEqual(rows_of(again), rows_of(table))
                self.assertEqual(repr(again), repr(table))
                self.assertTrue(again.to_arrow().equals(pickle.loads(pickle.dumps(again)).to_arrow()))

    def test_worker_processes_return_tables(self):
        program = """
import sys, multiprocessing
sys.path[:0] = sys.argv[2:]
import cgpu

def kernels(path):
    with cgpu.open(path) as session:
        return session.table("kernels")

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print([len(table) for table in pool.map(kernels, [sys.argv[1]] * 3)])
"""
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(program)
            file.flush()
            text = run(sys.executable, file.name, EXAMPLE, *site_packages(USE)).stdout.decode()
        self.assertEqual(text, "%s\n" % ([len(self.session.table("kernels"))] * 3))

    def test_tables_that_are_listed_have_rows(self):
        for path in (EXAMPLE, OTHER):
            with opened(path) as session:
                listed = session.tables()["name"]
                some = session.tables(all=True)["name"]
                self.assertEqual(listed, [name for name in some if len(session.table(name)) > 0])
                self.assertLess(len(listed), len(some))

    def test_pandas_without_pyarrow(self):
        for name in ("kernels", "idle", "device_trace"):
            table = self.session.table(name)
            pandas.testing.assert_frame_equal(table._to_pandas_by_values(pandas), table.to_pandas(),
                                              check_categorical=False)

    def test_polars(self):
        for name in ("kernels", "idle", EVENTS):
            table = self.session.table(name)
            frame = table.to_polars()
            self.assertEqual([list(row) for row in frame.rows()], rows_of(table))

    def test_numbers_are_not_copied(self):
        """The addresses in the structures that the stream hands out are those that pyarrow, numpy and polars see."""
        table = self.session.table("kernels")
        own = buffer_addresses(table)
        batch = pyarrow.RecordBatchReader.from_stream(table).read_next_batch()
        arrow = table.to_arrow()
        frame = table.to_pandas()
        by_polars = table.to_polars()
        numbers = 0
        for at, column in enumerate(table.columns):
            if column.type == "text":
                continue
            numbers += 1
            self.assertEqual(batch.column(at).buffers()[1].address, own[at])
            self.assertEqual(arrow.column(at).chunk(0).buffers()[1].address, own[at])
            if arrow.column(at).null_count == 0:
                values = frame[column.name].to_numpy()
                self.assertEqual(values.__array_interface__["data"][0], own[at], column.name)
                self.assertEqual(by_polars[column.name]._get_buffer_info()[0], own[at], column.name)
        self.assertGreater(numbers, 5)

    def test_events_come_in_batches(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "many.json")
            write_many_events(path, 150_000)
            with opened(path) as session:
                table = session.table(EVENTS)
                sizes = [batch.num_rows for batch in pyarrow.RecordBatchReader.from_stream(table)]
                self.assertEqual(sizes, [65536, 65536, 150_000 - 2 * 65536])
                self.assertEqual(len(table), 150_000)
                first = pyarrow.RecordBatchReader.from_stream(table)
                second = pyarrow.RecordBatchReader.from_stream(table)  # each reader sees all rows
                for _ in range(3):
                    self.assertTrue(first.read_next_batch().equals(second.read_next_batch()))
                chosen = session.table(EVENTS, where="duration_ns > 5us", sort="start_ns", top=100_000)
                self.assertEqual(len(chosen), len(chosen.to_arrow()))
                self.assertLess(len(chosen), 150_000)
                self.assertIn("more rows", chosen._repr_html_())
                self.assertEqual(table[149_999], list(table)[-1])


if __name__ == "__main__":
    unittest.main()
