"""A decoder of Nsight Systems reports, from docs/formats/nsight-systems-report.md alone, and what exports leave out of them.

Exports before 2026 have no table of the driver's work (CUPTI_ACTIVITY_KIND_OVERHEAD), and many none of diagnostics
(DIAGNOSTIC_EVENT), though both are in the reports. `complete` adds them to an export, so that its tables can be compared
with those of its report row for row.
"""
import ctypes
import ctypes.util
import sqlite3
import struct

EVENT, TYPE, CALL, DIAGNOSTIC = 1, 1, 108, 110
OVERHEAD_CLASS = 103
OVERHEAD = "CUPTI_ACTIVITY_KIND_OVERHEAD"
DIAGNOSTICS = "DIAGNOSTIC_EVENT"


def varint(data, at):
    """(value, position behind it)"""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(message):
    """(number, value) of each field: integers of varints, bytes of all others."""
    at = 0
    while at < len(message):
        key, at = varint(message, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(message, at)
        else:
            if kind == 2:
                size, at = varint(message, at)
            else:
                size = {1: 8, 5: 4}[kind]
            value = message[at:at + size]
            at += size
        yield key >> 3, value


def signed(value):
    return value - (1 << 64) if value is not None and value >= 1 << 63 else value


class Report:
    """`events`: of each, {number of a field: value}. `texts`: by their ids."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        self.lz4 = ctypes.CDLL(ctypes.util.find_library("lz4"))
        directory, = struct.unpack("<Q", data[-16:-8])
        sections = {}
        for _, entry in fields(data[directory:-16]):
            section = dict(fields(entry))
            sections[section[1].decode()] = data[section[2]:section[2] + section[3]]
        self.data = sections["Raw Sampling Data"]
        texts_at = dict(fields(sections["Sampling Data Offsets"]))[2] + 8
        at = 8
        for _ in range(2):  # two messages before the blocks
            size, at = varint(self.data, at)
            at += size
        self.events = []
        while at < texts_at:
            message, at = self.block(at)
            self.events += [dict(fields(value)) for number, value in fields(message) if number == EVENT]
        message, _ = self.block(texts_at)
        self.texts = [value.decode("utf-8", "replace") for number, value in fields(message) if number == 1]

    def block(self, at):
        """(message, position behind the block)"""
        stored, at = varint(self.data, at)
        size, at = varint(self.data, at)
        text = ctypes.create_string_buffer(size)
        done = self.lz4.LZ4_decompress_safe(self.data[at:at + stored], text, stored, size)
        assert done == size, done
        length, start = varint(text.raw, 0)
        return text.raw[start:start + length], at + stored


def add_overhead(report, database):
    ids = {value: number for number, value in database.execute("SELECT id, value FROM StringIds")}
    rows = []
    for event in report.events:
        call = dict(fields(event[CALL])) if CALL in event else {}
        if call.get(6) != OVERHEAD_CLASS:
            continue
        name = report.texts[call[7]]
        if name not in ids:
            ids[name] = max(ids.values()) + 1
            database.execute("INSERT INTO StringIds VALUES (?, ?)", (ids[name], name))
        rows.append((signed(call[1]), signed(call[2]), OVERHEAD_CLASS, call.get(13), call.get(3), ids[name], call.get(8, 0)))
    if rows:
        database.execute("CREATE TABLE %s(start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, "
                         "correlationId INTEGER, nameId INTEGER, overheadType INTEGER)" % OVERHEAD)
        database.executemany("INSERT INTO %s VALUES (?, ?, ?, ?, ?, ?, ?)" % OVERHEAD, rows)


def add_diagnostics(report, database):
    rows = []
    for event in report.events:
        if DIAGNOSTIC not in event:
            continue
        said = dict(fields(event[DIAGNOSTIC]))
        time = dict(fields(said[1]))
        numbers = [time.get(1, 0), time.get(2, 0), said.get(2, 0), said.get(3, 0), said.get(5)]
        rows.append([signed(number) for number in numbers] + [said[4].decode()])
    database.execute("CREATE TABLE %s(timestamp INTEGER, timestampType INTEGER, source INTEGER, severity INTEGER, "
                     "globalPid INTEGER, text TEXT)" % DIAGNOSTICS)
    database.executemany("INSERT INTO %s VALUES (?, ?, ?, ?, ?, ?)" % DIAGNOSTICS, rows)


def complete(export, report_path):
    """Adds the tables that the export lacks; returns the names of all that it had before."""
    database = sqlite3.connect(export)
    had = {name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    report = Report(report_path)
    if OVERHEAD not in had:
        add_overhead(report, database)
    if DIAGNOSTICS not in had:
        add_diagnostics(report, database)
    database.commit()
    database.close()
    return had
