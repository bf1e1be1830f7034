"""What several ranks do together: instances of collectives, one clock, waiting (docs/definitions.md)."""
import collections

from .basis import COMMUNICATION, book, grouped
from .kineto import HOST_KINDS, whole

YEAR_2001 = 10 ** 18


def letters(name):
    return name.replace("_", "").lower()


def ends_together(name):
    return any(kind in letters(name) for kind in ("allreduce", "allgather", "reducescatter", "alltoall", "barrier"))


def lower_median(values):
    return sorted(values)[(len(values) - 1) // 2]


def laid_along(parts, longest):
    """s: the k-th of `parts` belongs to the (k + s)-th of `longest`."""
    def spread(shift):
        found = [part.end - longest[k + shift].end for k, part in enumerate(parts[:256])]
        middle = lower_median(found)
        return sum(abs(d - middle) for d in found)
    return min(range(len(longest) - len(parts) + 1), key=lambda shift: (spread(shift), shift))


class Series:
    """members: {(place of the trace in the session, device or process): [(instance, op)]}"""

    def __init__(self, name, group, members):
        self.name, self.group = name, group
        ordered = {m: sorted(ops, key=lambda o: (o.start, o.order)) for m, ops in sorted(members.items())}
        numbers = [sequence(op) for ops in ordered.values() for op in ops]
        if all(n is not None for n in numbers):
            keys = {}
            for member, ops in ordered.items():
                seen = collections.Counter()
                keys[member] = []
                for op in ops:
                    keys[member].append((sequence(op), seen[sequence(op)]))
                    seen[sequence(op)] += 1
            places = {key: i for i, key in enumerate(sorted({k for list_ in keys.values() for k in list_}))}
            self.members = {m: [(places[k], op) for k, op in zip(keys[m], ops)] for m, ops in ordered.items()}
        else:
            most = max(map(len, ordered.values()))
            longest = next(ops for ops in ordered.values() if len(ops) == most)
            self.members = {}
            for member, ops in ordered.items():
                shift = 0 if len(ops) == most else laid_along(ops, longest)
                self.members[member] = [(k + shift, op) for k, op in enumerate(ops)]

    def instances(self):
        """One list of (member, op) an instance, in the order of the members."""
        out = collections.defaultdict(list)
        for member, parts in self.members.items():
            for number, op in parts:
                out[number].append((member, op))
        return [out[number] for number in sorted(out)]


def sequence(op):
    number = whole(op.args.get("Seq")) if op.kind not in HOST_KINDS else None
    return number if number is not None and number >= 0 else None


def device_series(session, key):
    found = collections.defaultdict(dict)
    for place, trace in enumerate(session):
        ops = [op for op in trace.device_ops if book(op) == COMMUNICATION]
        for (name, group, device), items in grouped(ops, lambda op: key(op) + (op.device,)).items():
            found[name, group][place, device] = items
    return [Series(name, group, members) for (name, group), members in found.items()]


def waits_on_the_host(item):
    name = item.name
    return (name.startswith("gloo:") or (name.startswith("MPI_") and not name.startswith("MPI_I"))) \
        and ends_together(name)


def host_series(session):
    found = collections.defaultdict(dict)
    for place, trace in enumerate(session):
        for item in trace.slices:
            if item.kind not in HOST_KINDS or not waits_on_the_host(item):
                continue
            if item.parent is None or not waits_on_the_host(item.parent):
                found[item.name].setdefault((place, item.process), []).append(item)
    return [Series(name, None, members) for name, members in found.items()]


# ---------------------------------------------------------------- one clock

def has_unix_clock(trace):
    return bool(trace.slices) and min(s.start for s in trace.slices) > YEAR_2001


def pairs_of(session, key):
    """{(lower trace, higher trace): [(difference of the ends, shorter duration, do not overlap)]}"""
    out = collections.defaultdict(list)
    for series in device_series(session, key) + host_series(session):
        if not ends_together(series.name):
            continue
        for parts in series.instances():
            (first, _), base = parts[0]
            for (place, _), op in parts[1:]:
                if place == first:
                    continue
                out[first, place].append((op.end - base.end, min(op.duration, base.duration),
                                          op.start > base.end or base.start > op.end))
    return out


def overlap(pairs):
    return 100 * sum(apart for _, _, apart in pairs) <= len(pairs)


def align(session, key):
    """Moves the traces of a session to one clock; gives the rows of the table `clocks`."""
    rows = [{"rank": t.rank, "method": "alone", "offset_ns": 0, "residual_ns": None, "pairs": 0} for t in session]
    if len(session) < 2:
        return rows
    host = [t.header.get("host_name") or "" for t in session]
    unix = [has_unix_clock(t) for t in session]
    pairs = pairs_of(session, key)
    clock, of_host = [], {}
    for i in range(len(session)):
        mine = of_host.setdefault(host[i], i) if unix[i] and host[i] else i
        if (mine, i) in pairs and not overlap(pairs[mine, i]):
            mine = i
        clock.append(mine)
    root = unix.index(True) if True in unix else 0

    bridges = collections.defaultdict(list)
    for (a, b), found in sorted(pairs.items()):
        if clock[a] != clock[b]:
            bridges[clock[a], clock[b]] += found
            bridges[clock[b], clock[a]] += [(-d, shorter, apart) for d, shorter, apart in found]
    state = {clock[root]: ("shared", 0)}
    refused = set()
    while True:
        ends = [(len(found), -a, -b) for (a, b), found in bridges.items()
                if a in state and b not in state and (a, b) not in refused and len(found) >= 3]
        if not ends:
            break
        _, a, b = max(ends)
        a, b = -a, -b
        found = bridges[a, b]
        offset = lower_median([d for d, _, _ in found])
        residual = lower_median([abs(d - offset) for d, _, _ in found])
        differ = host[a] and host[b] and host[a] != host[b]
        if unix[a] == unix[b] and ((not differ and overlap(found)) or (unix[a] and abs(offset) <= residual)):
            state[b] = ("shared" if state[a][1] == 0 else "aligned", state[a][1])
        elif residual > max(10 ** 6, lower_median([shorter for _, shorter, _ in found])):
            refused.add((a, b))
        else:
            state[b] = ("aligned", state[a][1] - offset)
    for i, trace in enumerate(session):
        method, offset = state.get(clock[i], ("unchecked" if unix[i] else "unaligned", 0))
        rows[i]["method"] = "reference" if i == root else method
        rows[i]["offset_ns"] = offset
        for item in trace.slices:
            item.start += offset
            item.end += offset
    for i, row in enumerate(rows):
        if i == root or row["method"] == "unaligned":
            continue
        left = [abs(d + rows[b]["offset_ns"] - rows[a]["offset_ns"]) for (a, b), found in pairs.items()
                if i == (a if b == root else b) for d, _, _ in found]
        row["pairs"] = len(left)
        row["residual_ns"] = lower_median(left) if left else None
    return rows


# ---------------------------------------------------------------- waiting

def waits(session):
    """{place of the trace: [(slice of the host, start, end of the waiting)]}"""
    out = collections.defaultdict(list)
    for series in host_series(session):
        for parts in series.instances():
            latest = max(op.start for _, op in parts)
            for (place, _), op in parts:
                if op.start < min(op.end, latest):
                    out[place].append((op, op.start, min(op.end, latest)))
    return out


def wait(name, instance, op):
    """What an op of a collective waits for the last member of its instance: while it lasts, where it may leave before."""
    latest = max(each.start for each in instance)
    return (latest if ends_together(name) else min(latest, op.end)) - op.start


def stragglers(session, key):
    rows = {}
    for series in device_series(session, key):
        for parts in series.instances():
            if len(parts) < 2:
                continue
            ops = [op for _, op in parts]
            latest = max(op.start for op in ops)
            last = next(member for member, op in parts if op.start == latest)
            for member, op in parts:
                row = rows.setdefault(member, {"count": 0, "last": 0, "caused_ns": 0, "wait_ns": 0})
                row["count"] += 1
                row["wait_ns"] += wait(series.name, ops, op)
            rows[last]["last"] += 1
            rows[last]["caused_ns"] += sum(wait(series.name, ops, op) for op in ops)
    whole_ns = sum(row["caused_ns"] for row in rows.values())
    return [dict(row, rank=session[place].rank, device=device,
                 pct=100 * row["caused_ns"] / whole_ns if whole_ns else None)
            for (place, device), row in rows.items()]
