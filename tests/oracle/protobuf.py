"""Protocol buffers without a schema, in a few lines: what binary profiles and exports are checked with."""


def varint(data, at):
    """The number at this place, and the place behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data, fixed64=bytes):
    """(number, value) of each field of a message: varints as int, eight bytes through `fixed64`, all else as bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(kind)
            if size is None:
                assert kind == 2, "wire type %d before byte %d" % (kind, at)
                size, at = varint(data, at)
            value = data[at:at + size]
            assert len(value) == size, "cut off at byte %d" % at
            at += size
            if kind == 1:
                value = fixed64(value)
        yield key >> 3, value


def encode(*pairs):
    """A message of (number, value): integers as varints, texts and bytes behind their length."""
    def written(value):
        out = b""
        while value >= 0x80:
            out += bytes([value & 0x7f | 0x80])
            value >>= 7
        return out + bytes([value])
    out = b""
    for number, value in pairs:
        if isinstance(value, int):
            out += written(number << 3) + written(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            out += written(number << 3 | 2) + written(len(value)) + value
    return out


def first(data, number, otherwise=None):
    """The first field of this number."""
    return next((value for key, value in fields(data) if key == number), otherwise)


def message(data):
    """All values by number."""
    out = {}
    for number, value in fields(data):
        out.setdefault(number, []).append(value)
    return out
