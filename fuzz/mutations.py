"""Damages a profile so that the damage reaches the parser: inside of what is compressed, of a row of a database, of a
message or a key, with lengths and checksums that fit. Only what a `random.Random` says decides, so that a seed gives the
same damage again.
"""
import ctypes
import ctypes.util
import gzip
import json
import os
import re
import sqlite3
import struct
import tempfile
import zlib

NUMBERS = [0, 1, -1, 2, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 2**31 - 1, 2**31, -2**31, 2**32 - 2, 2**32 - 1,
           2**32, 2**53, 2**53 + 1, 2**62, 2**63 - 2, 2**63 - 1, -2**63 + 1, -2**63, 2**63, 2**64 - 1, 10**30]
REALS = [float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 5e-324, -0.0, 0.1, 1e18, 9.3e18, -9.3e18, 1e-9]
TEXTS = ["", "\0", "-", "=1+1", "\x1b[2J", "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), "a" * 5000,
         "<script>", "]]>", "%s%n", "../../x", "ProfilerStep#18446744073709551615", "nan", "NaN", "Infinity", "1e999",
         "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "_ZN" + "3abcI" * 200, "[[1, 2], []]", "{", "\u202e"]
MOST = 400000  # bytes of a mutation; what is larger is cut


def library(name, *functions):
    """A library of C with the functions' results declared; None where this machine lacks it."""
    found = ctypes.util.find_library(name)
    if not found:
        return None
    loaded = ctypes.CDLL(found)
    for function in functions:
        getattr(loaded, function).restype = ctypes.c_uint64
    return loaded


ZSTD = library("zstd", "ZSTD_compress", "ZSTD_decompress", "ZSTD_compressBound", "ZSTD_getFrameContentSize")
XXHASH = library("xxhash", "XXH3_64bits")


def zstd_packed(data):
    room = ctypes.create_string_buffer(ZSTD.ZSTD_compressBound(ctypes.c_size_t(len(data))))
    size = ZSTD.ZSTD_compress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), 3)
    return room.raw[:size]


def zstd_unpacked(frame):
    """Raises ValueError for what does not say its size, or is damaged."""
    size = ZSTD.ZSTD_getFrameContentSize(frame, ctypes.c_size_t(len(frame)))
    if size > 64 << 20:
        raise ValueError("no frame of known size")
    room = ctypes.create_string_buffer(max(size, 1))
    if ZSTD.ZSTD_decompress(room, ctypes.c_size_t(size), frame, ctypes.c_size_t(len(frame))) != size:
        raise ValueError("damaged")
    return room.raw[:size]


def checksum(data):
    return XXHASH.XXH3_64bits(data, ctypes.c_size_t(len(data)))


def varint(value):
    """As protocol buffers and archives of the program have it."""
    out = bytearray()
    value &= 2**64 - 1
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data, at):
    """The number and the place behind it. Raises IndexError at the end of the data."""
    value = shift = 0
    while shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value & 2**64 - 1, at
    raise IndexError("no number")


def mutate_bytes(data, random, other):
    """One change somewhere: of a bit, a byte, a number of the machine; a piece lost, doubled, moved, or from `other`."""
    data = bytearray(data)
    if not data:
        return bytes(other[:100])
    at = random.randrange(len(data))
    size = min(len(data) - at, 1 << random.randrange(12))
    kind = random.randrange(9)
    if kind == 0:
        data[at] ^= 1 << random.randrange(8)
    elif kind == 1:
        data[at] = random.choice([0, 1, 0x7f, 0x80, 0xff, random.randrange(256)])
    elif kind == 2:
        width = random.choice([2, 4, 8])
        number = (random.choice(NUMBERS) & 2**(8 * width) - 1).to_bytes(width, random.choice(["little", "big"]))
        data[at:at + width] = number
    elif kind == 3:
        data[at:at + 8] = struct.pack("<d", random.choice(REALS))
    elif kind == 4:
        data[at:at] = data[at:at + size] * random.choice([1, 2, 50])
    elif kind == 5:
        del data[at:at + size]
    elif kind == 6:
        to = random.randrange(len(data))
        data[to:to + size] = data[at:at + size]
    elif kind == 7 and other:
        begin = random.randrange(len(other))
        data[at:at + random.choice([0, size])] = other[begin:begin + size]
    else:
        del data[at:]
    return bytes(data)


def number_text(random):
    return str(random.choice(random.choice([NUMBERS, REALS]))).replace("inf", random.choice(["inf", "Infinity", "1e999"]))


def mutate_text(data, random, other):
    """One number, word or line of a text changed."""
    kind = random.randrange(6)
    if kind < 3:
        pattern, replace = rb"-?\d+(\.\d+)?([eE][-+]?\d+)?", number_text(random).encode()
    elif kind == 3:
        pattern, replace = rb"[A-Za-z_][\w.:]{2,}", random.choice(TEXTS).encode()
    else:
        lines = data.splitlines(keepends=True)
        if len(lines) < 2:
            return mutate_bytes(data, random, other)
        at, to = random.randrange(len(lines)), random.randrange(len(lines))
        if kind == 4:
            lines[at:at] = [lines[to]] * random.choice([1, 3, 300])
        else:
            lines[at:at + random.choice([1, 2, 20])] = []
        return b"".join(lines)
    places = [found.span() for found in re.finditer(pattern, data)]
    if not places:
        return mutate_bytes(data, random, other)
    begin, end = random.choice(places)
    return data[:begin] + replace + data[end:]


def json_places(value, found, limit=20000):
    """Every (container, key) of a document."""
    waiting = [value]
    while waiting and len(found) < limit:
        container = waiting.pop()
        for key in (container if isinstance(container, dict) else range(len(container))):
            found.append((container, key))
            if isinstance(container[key], (dict, list)):
                waiting.append(container[key])
    return found


def json_value(random):
    kind = random.randrange(8)
    if kind == 0:
        deep = []
        for _ in range(random.choice([1, 5, 3000])):
            deep = [deep]
        return deep
    return [None, True, {}, random.choice(TEXTS), str(random.choice(NUMBERS)), random.choice(NUMBERS),
            random.choice(REALS)][kind - 1]


def mutate_json(document, random):
    """One value of a document changed, lost, doubled, or that of another place."""
    places = json_places(document, [])
    if not places:
        return
    container, key = random.choice(places)
    kind = random.randrange(9)
    if kind == 0:
        del container[key]
    elif kind == 1:
        from_container, from_key = random.choice(places)
        if not isinstance(from_container[from_key], (dict, list)):  # which would contain itself
            container[key] = from_container[from_key]
    elif kind == 2 and isinstance(container, list):
        container[key:key] = [container[key]] * random.choice([1, 2, 500])
    elif kind == 3 and isinstance(container, dict):
        container[random.choice(TEXTS)] = container.pop(key)
    elif kind == 4 and isinstance(container, list):
        random.shuffle(container)
    elif kind == 5 and isinstance(container, dict):  # the same field of every sibling
        value = json_value(random)
        for each, name in places:
            if name == key and isinstance(each, dict) and key in each and random.randrange(2):
                each[key] = value
    elif isinstance(container[key], (int, float)) and random.randrange(3):
        container[key] = random.choice(random.choice([NUMBERS, REALS]))
    else:
        container[key] = json_value(random)


def mutate_json_text(data, random, other):
    document = json.loads(data)
    for _ in range(random.choice([1, 1, 2, 4])):
        mutate_json(document, random)
    return json.dumps(document, ensure_ascii=random.randrange(2) == 0).encode("utf-8", "surrogatepass")


def read_message(data):
    """Fields of a protocol buffer as [number, type, value]. Raises IndexError or ValueError for what is none."""
    fields, at = [], 0
    while at < len(data):
        key, at = read_varint(data, at)
        kind = key & 7
        if key < 8 or kind in (3, 4, 6, 7):
            raise ValueError("no message")
        if kind == 0:
            value, at = read_varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(kind)
            if size is None:
                size, at = read_varint(data, at)
            value = data[at:at + size]
            at += size
            if at > len(data):
                raise IndexError("cut off")
        fields.append([key >> 3, kind, value])
    return fields


def write_message(fields):
    out = b""
    for number, kind, value in fields:
        out += varint(number << 3 | kind)
        out += varint(value) if kind == 0 else (varint(len(value)) + value if kind == 2 else value)
    return out


def mutate_message(data, random, other):
    """One field at any depth, with the lengths of the messages around it."""
    fields = read_message(data)
    if not fields:
        return mutate_bytes(data, random, other)
    field = random.choice(fields)
    kind = random.randrange(10)
    if kind == 0:
        fields.remove(field)
    elif kind == 1:
        fields[random.randrange(len(fields)):0] = [field] * random.choice([1, 2, 500])
    elif kind == 2:
        field[0] = random.choice([1, 2, 3, random.randrange(1, 200)])
    elif field[1] == 0:
        field[2] = random.choice(NUMBERS)
    elif field[1] == 2:
        try:
            field[2] = mutate_message(field[2], random, other)
        except (IndexError, ValueError):
            field[2] = mutate_bytes(field[2], random, other)
    else:
        size = len(field[2])
        field[2] = (struct.pack("<d", random.choice(REALS)) * 2)[:size] if random.randrange(2) else (
            random.choice(NUMBERS) & 2**(8 * size) - 1).to_bytes(size, "little")
    return write_message(fields)


def mutate_database(data, random, other):
    """Values of one column, rows or a column of an SQLite file. Raises sqlite3.Error where it is damaged."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x")
        with open(path, "wb") as file:
            file.write(data)
        base = sqlite3.connect(path)
        base.text_factory = bytes
        base.execute("PRAGMA journal_mode = OFF")
        for _ in range(random.choice([1, 1, 2, 4])):
            tables = [row[0].decode() for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table' "
                                                              "AND name NOT LIKE 'sqlite_%' ORDER BY name")]
            if not tables:
                break
            table = random.choice(tables)
            columns = [row[1].decode() for row in base.execute('PRAGMA table_info("%s")' % table)]
            column = random.choice(columns)
            some = " WHERE rowid %% %d = 0" % random.choice([1, 2, 7])
            kind = random.randrange(8)
            if kind == 0:
                base.execute('DELETE FROM "%s"%s' % (table, some))
            elif kind == 1 and len(columns) > 1:
                base.execute('ALTER TABLE "%s" DROP COLUMN "%s"' % (table, column))
            elif kind == 2:
                base.execute('UPDATE "%s" SET "%s" = "%s"%s' % (table, column, random.choice(columns), some))
            elif kind == 3 and "id" not in [each.lower() for each in columns]:
                base.execute('INSERT INTO "%s" SELECT * FROM "%s"' % (table, table))
            else:
                value = random.choice([None, b"\xff\0", random.choice(TEXTS), random.choice(REALS)]
                                      + [each for each in NUMBERS if -2**63 <= each < 2**63])
                base.execute('UPDATE OR IGNORE "%s" SET "%s" = ?%s' % (table, column, some), (value,))
            base.commit()
        base.close()
        with open(path, "rb") as file:
            return file.read()


# A summary (docs/formats/cgpu.md): magic, version, a head, an index, then records of two frames, then a frame of tables.
SUMMARY = b"\x89cgpu run\r\n"
SUMMARY_VERSION = 10
RUN, DAMAGED, TABLES = 1, 2, 3  # fields of the index
FILE, SIZE, CHECKSUM = 4, 5, 6  # fields of a run in the index
FRAMES = [(1, 2), (3, 4)]  # fields of a record: plain size and frame of the run, and of its partial results


def field_of(fields, number):
    """The value of the first field of this number. Raises KeyError where there is none."""
    return dict((each[0], each[2]) for each in reversed(fields))[number]


def without(fields, numbers):
    return [each for each in fields if each[0] not in numbers]


def read_summary(data):
    """{runs in the index, other fields of it, records as [fields, run, partial results], tables}, all uncompressed, and
    without sizes and checksums."""
    at = len(SUMMARY) + 2
    if data[at - 2] != SUMMARY_VERSION:
        raise ValueError("another version")
    head = read_message(field_of(read_message(data[at:at + data[at - 1]]), 1))
    at += data[at - 1]
    size = field_of(head, 2)
    index = read_message(field_of(read_message(zstd_unpacked(data[at:at + size])), 1))
    at += size
    runs, records = [], []
    for entry in [read_message(value) for number, _, value in index if number == RUN]:
        size = field_of(entry, SIZE)
        fields, at = read_message(data[at:at + size]), at + size
        contents = [zstd_unpacked(field_of(fields, frame)) for _, frame in FRAMES]
        records.append([without(fields, sum(FRAMES, ())), *contents])
        runs.append(without(entry, (SIZE, CHECKSUM)))
    return {"runs": runs, "others": without(index, (RUN, TABLES)), "records": records,
            "tables": zstd_unpacked(data[at:]) if at < len(data) else None}


def write_summary(summary):
    """The file again, with sizes and checksums of what is in it now."""
    index, records = [], b""
    for run, (others, *contents) in zip(summary["runs"], summary["records"]):
        fields = [*others]
        for (plain, frame), content in zip(FRAMES, contents):
            fields += [[plain, 0, len(content)], [frame, 2, zstd_packed(content)]]
        record = write_message(sorted(fields, key=lambda field: field[0]))
        entry = sorted([*run, [SIZE, 0, len(record)], [CHECKSUM, 0, checksum(record)]], key=lambda field: field[0])
        index.append([RUN, 2, write_message(entry)])
        records += record
    frame = zstd_packed(summary["tables"]) if summary["tables"] is not None else b""
    tables = [[1, 0, len(frame)], [2, 0, len(summary["tables"] or b"")], [3, 0, checksum(frame)]]
    index += [*summary["others"], [TABLES, 2, write_message(tables)]]
    content = write_message([[1, 2, write_message(sorted(index, key=lambda field: field[0]))]])
    packed = zstd_packed(content)
    head = write_message([[1, 2, write_message([[1, 0, len(content)], [2, 0, len(packed)], [3, 0, checksum(packed)]])]])
    return SUMMARY + bytes([SUMMARY_VERSION, len(head)]) + head + packed + records + frame


def mutate_summary(data, random, other):
    """One field somewhere in a run, its partial results, the index or the tables; or a run doubled."""
    summary = read_summary(data)
    for _ in range(random.choice([1, 1, 2, 4])):
        place = random.randrange(len(summary["records"]))
        record = summary["records"][place]
        kind = random.randrange(8)
        if kind == 0 and summary["tables"]:
            summary["tables"] = mutate_message(summary["tables"], random, other)
        elif kind == 1:
            summary["runs"][place] = read_message(
                mutate_message(write_message(summary["runs"][place]), random, other))
        elif kind == 2:
            summary["records"].append(list(record))
            summary["runs"].append([[number, kind, value + b"x" if number == FILE else value]
                                    for number, kind, value in summary["runs"][place]])  # behind those of its rank
        elif kind < 5:
            record[2] = mutate_message(record[2], random, other)
        else:
            record[1] = mutate_message(record[1], random, other)
    return write_summary(summary)


def is_message(data):
    try:
        return len(read_message(data)) > 0
    except (IndexError, ValueError):
        return False


def mutate_plain(data, random, other):
    """What is not compressed: as what it is most of the time, else as bytes."""
    structured = None
    if data.startswith(SUMMARY):
        structured = mutate_summary if ZSTD and XXHASH else None
    elif data.startswith(b"SQLite format 3"):
        structured = mutate_database
    elif data.lstrip()[:1] in (b"{", b"["):
        structured = random.choice([mutate_json_text, mutate_text])
    elif b"\0" not in data[:1000]:
        structured = mutate_text
    elif is_message(data):
        structured = mutate_message
    if structured and random.randrange(5):
        try:
            return structured(data, random, other)[:MOST]
        except (IndexError, ValueError, KeyError, RecursionError, sqlite3.Error):
            pass  # the seed is damaged itself
    for _ in range(random.choice([1, 1, 2, 8])):
        data = mutate_bytes(data, random, other)
    return data[:MOST]


def mutate(data, random, other=b""):
    """`data` with some damage; `other`: what pieces may come from. What was compressed is so again, nine times of ten."""
    inside = random.randrange(10)
    if data.startswith(b"\x1f\x8b") and inside:
        try:
            return gzip.compress(mutate_plain(gzip.decompress(data), random, other), 1, mtime=0)
        except (OSError, EOFError, zlib.error):
            pass
    if data.startswith(b"\x28\xb5\x2f\xfd") and ZSTD and inside:
        try:
            return zstd_packed(mutate_plain(zstd_unpacked(data), random, other))
        except ValueError:
            pass
    return mutate_plain(data, random, other)
