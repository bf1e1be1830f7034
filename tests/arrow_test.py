#!/usr/bin/env python3
"""Arrow streams, read by pyarrow: every value, the metadata, buffers that are not copied, lifetimes and errors.

pyarrow is installed into a virtual environment in the build folder, once; where that cannot be done, all is skipped.
Environment: CGPU (the binary; the library for this test lies beside it).
"""
import ctypes
import glob
import json
import os
import subprocess
import sys
import unittest
import venv

PYARROW = "pyarrow==17.0.0"
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.dirname(os.path.abspath(os.environ["CGPU"])) if "CGPU" in os.environ else os.path.join(ROOT, "build")
ENVIRONMENT = os.path.join(BUILD, "python-" + PYARROW.replace("==", "-"))

library = None
pyarrow = None


def import_pyarrow():
    """pyarrow out of the virtual environment, which is made where it is not there."""
    installed = os.path.join(ENVIRONMENT, "complete")
    if not os.path.exists(installed):
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
        subprocess.run([os.path.join(ENVIRONMENT, "bin", "python"), "-m", "pip", "install", "--quiet", "--only-binary",
                        ":all:", PYARROW], check=True, timeout=300, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        open(installed, "w", encoding="utf-8").close()
    sys.path[:0] = glob.glob(os.path.join(ENVIRONMENT, "lib", "python*", "site-packages"))
    import pyarrow as imported  # pylint: disable=import-outside-toplevel
    return imported


def setUpModule():
    global library, pyarrow
    try:
        pyarrow = import_pyarrow()
    except (subprocess.SubprocessError, OSError, ImportError) as error:
        log = getattr(error, "stderr", None) or b""
        raise unittest.SkipTest("%s cannot be installed: %s %s" % (PYARROW, error, log.decode(errors="replace")[-500:]))
    library = ctypes.CDLL(os.path.join(BUILD, "libcgpu_arrow_test_library.so"))
    library.open_stream.restype = None
    library.open_stream.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    library.json_of.restype = ctypes.c_char_p
    library.json_of.argtypes = [ctypes.c_char_p]
    library.address_of.restype = ctypes.c_void_p
    library.address_of.argtypes = [ctypes.c_char_p, ctypes.c_uint64, ctypes.c_uint64]


class Stream:
    """An opened stream, as pyarrow reads it."""

    def __init__(self, name):
        self.memory = ctypes.create_string_buffer(5 * ctypes.sizeof(ctypes.c_void_p))  # an ArrowArrayStream
        library.open_stream(name.encode(), ctypes.addressof(self.memory))
        self.reader = pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(self.memory))


def expected(name):
    (table,) = json.loads(library.json_of(name.encode()))["tables"].values()
    return table


STREAMS = {"table": 1, "one_row": 1, "without_rows": 1, "batches": 4, "shared_dictionary": 3, "broken_utf8": 1}


class Arrow(unittest.TestCase):
    def test_every_value(self):
        for name, count in STREAMS.items():
            with self.subTest(name):
                batches = list(Stream(name).reader)
                self.assertEqual(len(batches), count)
                rows = []
                for batch in batches:
                    batch.validate(full=True)
                    rows += [list(row.values()) for row in batch.to_pylist()]
                self.assertEqual(rows, expected(name)["rows"])

    def test_whole_tables(self):
        for name in STREAMS:
            with self.subTest(name):
                table = Stream(name).reader.read_all()
                table.validate(full=True)
                self.assertEqual([list(row.values()) for row in table.to_pylist()], expected(name)["rows"])
                unified = table.unify_dictionaries()
                self.assertEqual(unified.to_pylist(), table.to_pylist())

    def test_schema(self):
        types = {"int": pyarrow.int64(), "float": pyarrow.float64(),
                 "text": pyarrow.dictionary(pyarrow.int32(), pyarrow.utf8())}
        roles = ["key", "moment", "measure", "measure", "text"]
        schema = Stream("table").reader.schema
        table = expected("table")
        self.assertEqual(schema.metadata, {b"name": b"events", b"about": table["about"].encode()})
        self.assertEqual(len(schema), len(table["columns"]))
        for field, column, role in zip(schema, table["columns"], roles):
            self.assertEqual(field.name, column["name"])
            self.assertEqual(field.type, types[column["type"]])
            self.assertTrue(field.nullable)
            self.assertEqual(field.metadata, {b"unit": column["unit"].encode(), b"about": column["about"].encode(),
                                              b"role": role.encode()})

    def test_validity_only_where_something_is_absent(self):
        batch = next(iter(Stream("table").reader))
        for column in batch.columns:
            self.assertEqual(column.buffers()[0] is None, column.null_count == 0)
        self.assertEqual(batch.column("count").null_count, 0)

    def test_nothing_is_copied(self):
        for name in ("table", "batches", "shared_dictionary"):
            for number, batch in enumerate(Stream(name).reader):
                for column, values in enumerate(batch.columns):
                    if batch.num_rows > 0:
                        indices = values.indices if pyarrow.types.is_dictionary(values.type) else values
                        self.assertEqual(indices.buffers()[1].address,
                                         library.address_of(name.encode(), number, column), (name, number, column))
        texts = {batch.column(0).dictionary.buffers()[2].address for batch in Stream("shared_dictionary").reader}
        self.assertEqual(len(texts), 1)

    def test_lives_as_long_as_somebody_looks(self):
        stream = Stream("table")
        batch = next(iter(stream.reader))
        column = batch.column("start_ns")
        values = [row[1] for row in expected("table")["rows"]]
        del stream
        self.assertTrue(library.is_alive())
        del batch
        self.assertTrue(library.is_alive())
        self.assertEqual(column.to_pylist(), values)
        del column
        self.assertFalse(library.is_alive())

    def test_a_stream_that_is_not_read_to_its_end(self):
        stream = Stream("batches")
        first = next(iter(stream.reader))
        self.assertTrue(library.is_alive())
        del stream
        self.assertFalse(library.is_alive())
        self.assertEqual(first.num_rows, 300)
        self.assertEqual(first.column("count").to_pylist(), list(range(300)))

    def test_errors_reach_the_consumer(self):
        reader = Stream("failing").reader
        self.assertEqual(reader.read_next_batch().num_rows, 10)
        with self.assertRaisesRegex(OSError, "trace.json: has vanished"):
            reader.read_next_batch()


if __name__ == "__main__":
    unittest.main()
