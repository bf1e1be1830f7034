"""Seeds of the fuzz target for HPCToolkit: a small database with one of everything, whole and damaged. A seed is the
five files one behind the other, after the lengths of the first four."""
import struct

KINDS = ["SUMMARY", "NODE", "RANK", "THREAD", "GPUDEVICE", "GPUCONTEXT", "GPUSTREAM", "CORE"]
METRICS = ["CPUTIME (sec)", "GKER (sec)", "GKER:COUNT", "GKER:BLK_THR_ACUMU", "GINS:STL_IDEP", "GXCOPY:H2D (B)"]


class Out(bytearray):
    """Bytes that are written at the end and patched in the middle."""

    def put(self, form, *values):
        at = len(self)
        self.extend(struct.pack("<" + form, *values))
        return at

    def patch(self, at, form, *values):
        struct.pack_into("<" + form, self, at, *values)

    def text(self, text):
        at = len(self)
        self.extend(text.encode() + b"\0")
        return at

    def align(self):
        self.extend(bytes(-len(self) % 8))
        return len(self)

    def section(self, index, begin):
        self.patch(16 + 16 * index, "QQ", len(self) - begin, begin)


def header(form, sections):
    return Out(b"HPCTOOLKIT" + form + bytes([4, 0]) + bytes(16 * sections))


def meta():
    out = header(b"meta", 8)
    title = out.text("program")
    at = out.align()
    out.put("QQ", title, title)
    out.section(0, at)
    names = [out.text(kind) for kind in KINDS]
    array = out.align()
    out.put("8Q", *names)
    out.section(1, out.put("QQ", array, len(KINDS)))

    point, execution, formula = out.text("point"), out.text("execution"), out.text("$$")
    scopes = out.align()
    out.put("QBBxxxxxxQBBxxxxxx", point, 1, 255, execution, 2, 255)
    described = []
    for index, metric in enumerate(METRICS):
        name = out.text(metric)
        instances = out.align()
        out.put("QHxxxxxxQHxxxxxx", scopes, 2 * index, scopes + 16, 2 * index + 1)
        summaries = out.put("QQBxHxxxx", scopes, formula, 0, 100 + 2 * index)
        out.put("QQBxHxxxx", scopes + 16, formula, 0, 101 + 2 * index)
        described.append((name, instances, summaries, 2, 2))
    array = out.align()
    for description in described:
        out.put("QQQHHxxxx", *description)
    out.section(2, out.put("QIBBBxQHBxxxxx", array, len(METRICS), 32, 16, 24, scopes, 2, 16))

    module_path, file_path = out.text("/bin/program"), out.text("/src/a.c")
    out.align()
    module, file = out.put("QQ", 0, module_path), out.put("QQ", 0, file_path)
    functions = []
    for name in ("main", "<gpu kernel>", "kernel(int)"):
        text = out.text(name)
        out.align()
        functions.append(out.put("QQQQII", text, module, 0, file, 7, 0))
    entry_name = out.text("main thread")
    at = out.align()
    out.put("QHBxxxxx", at + 16, 1, 32)
    entry = out.put("QQIHxxQ", 0, 0, 1, 1, entry_name)

    def context(number, flags, relation, kind, *words):
        begin = out.put("QQIBBBBHxxxxxx", 0, 0, number, flags, relation, kind, len(words), 0)
        out.put("%dQ" % len(words), *words)
        return begin, len(out) - begin

    def below(parent, child):
        out.patch(parent, "QQ", child[1], child[0])
        return child[0]

    node = below(entry, context(2, 1, 1, 0, functions[0]))
    node = below(node, context(3, 6, 0, 1, file, 3, module, 0x1169))
    node = below(node, context(4, 2, 0, 2, file, 4))
    node = below(node, context(5, 1, 1, 0, functions[1]))
    node = below(node, context(6, 1, 2, 0, functions[2]))
    below(node, context(7, 4, 1, 3, module, 0x10))
    out.section(3, at)
    return bytes(out) + b"_meta.db"


def values(out, rows, form, key):
    """Writes rows of values and their index; gives the counts and the places of both."""
    begin, firsts, count = out.align(), [], 0
    for name, row in sorted(rows.items()):
        firsts.append((name, count))
        for inner, value in sorted(row.items()):
            out.put(form, inner, value)
            count += 1
    index = out.align()
    for name, first in firsts:
        out.put(key, name, first)
    return count, begin, len(firsts), index


def profile_rows(base):
    inclusive = {base + 1: 2.0, base + 3: 1e-7, base + 5: 2.0, base + 7: 64.0, base + 9: 5.0, base + 11: 8.0}
    own = {metric - 1: value for metric, value in inclusive.items()}
    return {**{context: inclusive for context in (0, 1, 2, 3)}, 9: {**own, **inclusive}}


def profile():
    out = header(b"prof", 2)
    at = out.align()
    out.put("QIBxxx", at + 16, 4, 48)
    infos = out.put("192x")
    threads = [None, [(1, 1, 77), (2, 0, 0), (3, 0, 0)], [(2, 0, 1), (3, 0, 1)], [(2, 0, 0), (5, 0, 1), (6, 0, 7)]]
    for index, ids in enumerate(threads):
        rows = profile_rows(100 if index == 0 else 0) if index < 2 else {}
        count, begin, contexts, lookup = values(out, rows, "Hd", "IQ")
        identity = 0
        if ids:
            identity = out.align()
            out.put("Q", len(ids))
            for kind, physical, number in ids:
                out.put("BxHIQ", kind, physical, number, number)
        out.patch(infos + 48 * index, "QQIxxxxQQI", count, begin, contexts, lookup, identity, index == 0)
    out.section(0, at)
    return bytes(out) + b"_prof.db"


def cct():
    out = header(b"ctxt", 1)
    at = out.align()
    rows = profile_rows(0)
    out.put("QIBxxx", at + 16, 10, 32)
    infos = out.put("320x")
    for context, row in rows.items():
        count, begin, metrics, lookup = values(out, {m: {1: v} for m, v in row.items()}, "Id", "HQ")
        out.patch(infos + 32 * context, "QQHxxxxxxQ", count, begin, metrics, lookup)
    out.section(0, at)
    return bytes(out) + b"__ctx.db"


def trace():
    out = header(b"trce", 1)
    at = out.align()
    out.put("QIBxxxQQ", at + 32, 2, 24, 1000, 1400)
    infos = out.put("48x")
    for index, (number, elements) in enumerate([(1, [(1000, 0), (1010, 4), (1020, 2), (1400, 0)]),
                                                (3, [(1100, 6), (1150, 0), (1160, 5), (1170, 6), (1180, 0)])]):
        begin = len(out)
        for element in elements:
            out.put("QI", *element)
        out.patch(infos + 24 * index, "IxxxxQQ", number, begin, len(out))
    out.section(0, at)
    return bytes(out) + b"trace.db"


def taxonomy():
    return b"""version: 0
inputs:
  - &time {metric: CPUTIME (sec), scope: execution, formula: $$, combine: sum}
  - &count
    metric: GKER:COUNT
    scope: execution
  - &other {<<: *count, scope: function, combine: max}
roots:
  - name: Time a kernel
    description: "seconds: one"
    format: "%6.2f %%"
    variants:
      Sum: {render: number, formula: {inclusive: {standard: {/: [*time, *count]}, custom: [2 *, [*time, -, 1]]}}}
      Mean: {formula: sum}
      "": {formula: first, child variant: Sum}
    children:
      - {name: A, variants: {Sum: {formula: {exclusive: [*time ^ 2 + 3, *, 4]}}}}
      - {name: B, variants: {Sum: {formula: {inclusive: {min: [100, {max: [0, {strict floor: [*count]}]}]}}}}}
      - {name: C, variants: {Sum: {formula: {inclusive: {log: [*other, 2]}}}}}
"""


def seed(*files):
    return struct.pack("<4I", *map(len, files[:4])) + b"".join(files)


def seeds():
    whole = [meta(), profile(), cct(), trace(), taxonomy()]
    yield "whole", seed(*whole)
    for index, name in enumerate(("meta", "profile", "cct", "trace", "taxonomy")):
        cut, gone, loud = list(whole), list(whole), list(whole)
        cut[index] = whole[index][:len(whole[index]) * 2 // 3]
        gone[index] = b""
        loud[index] = whole[index][:0x20] + b"\xff" * 16 + whole[index][0x30:]
        yield "cut_" + name, seed(*cut)
        yield "no_" + name, seed(*gone)
        yield "far_" + name, seed(*loud)
    yield "before_v4", seed(b"", b"HPCPROF-pmsdb___" + bytes(112), b"", b"", b"")
