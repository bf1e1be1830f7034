"""The chain that bounds a job of several ranks, from its traces (docs/definitions/ranks.md, "rank_path")."""
import collections

from . import ranks
from .basis import COMMUNICATION, COMPUTE, active_parts, book, union_length

Part = collections.namedtuple("Part", "member place op before series instance")


def parts_of(session, key):
    """{(place of the trace, device): its collectives in the order of start and duration}, and those of each instance."""
    found, members = collections.defaultdict(list), {}
    for number, series in enumerate(ranks.device_series(session, key)):
        for instance, parts in enumerate(series.instances()):
            for member, op in parts:
                found[member].append((op.start, op.duration, number, series, (number, instance), op))
    devices = {}
    for member, all_ in sorted(found.items()):
        devices[member] = []
        for place, (start, _, _, series, instance, op) in enumerate(sorted(all_, key=lambda each: each[:3])):
            ended = [part for part in devices[member] if part.op.end <= start]
            before = max(ended, key=lambda part: (part.op.end, part.place), default=None)
            part = Part(member, place, op, before, series, instance)
            devices[member].append(part)
            members.setdefault(instance, []).append(part)
    return devices, members


def path(session, key, iterations):
    """(rows by (owner, rank, device, after, collective, group) with all causes of idle time as "idle", the whole)."""
    devices, members = parts_of(session, key)
    ends = {}

    def begin(part):
        return 0 if part.before is None else ends[part.before] + part.op.start - part.before.op.end

    waiting = {part for parts in devices.values() for part in parts}
    while waiting:
        known = {part for part in waiting if part.before is None or part.before in ends}
        done = {part for part in known if not ranks.ends_together(part.series.name) or known.issuperset(members[part.instance])}
        assert done, "collectives that contradict each other"
        for part in done:
            if ranks.ends_together(part.series.name):
                ends[part] = max(map(begin, members[part.instance])) + min(each.op.duration for each in members[part.instance])
            else:
                ends[part] = begin(part) + part.op.duration
        waiting -= done

    first = {}
    for member, parts in devices.items():
        count, rest = divmod(len(parts), (iterations or 0) + 1)
        first[member] = parts[count - 1 if iterations and rest == 0 else 0]
    longest = max(devices, key=lambda member: ends[devices[member][-1]] - ends[first[member]])
    start = ends[first[longest]]
    rows = collections.Counter()
    part = devices[longest][-1]
    whole = ends[part] - start
    while ends[part] > start:
        end = ends[part]
        if ranks.ends_together(part.series.name):
            come = max(map(begin, members[part.instance]))
            if begin(part) < come:
                part = next(each for each in members[part.instance] if begin(each) == come)
        trace, device = session[part.member[0]], part.member[1]
        collective, group = part.series.name, part.series.group
        ops = [op for op in trace.device_ops if op.device == device]
        times = {}
        for kind in (COMPUTE, COMMUNICATION, "copies"):
            times[kind] = [(op.start, op.end) for op in ops if book(op) == (kind if kind != "copies" else "memory")]
        come = begin(part)
        hidden = min(union_length(clipped(times[COMPUTE], part.op.start, part.op.end)), end - come)
        known = ranks.ends_together(collective) and len(members[part.instance]) > 1
        piece = [("exposed_transfer" if known else "transfer_or_wait", end - come - hidden), ("hidden_transfer", hidden)]
        for owner, time in last_of(piece, end - max(come, start)):
            rows[owner, None, None, None, collective, group] += time
        if come <= start:
            break
        before = part.before
        span = before.op.end, part.op.start
        owned = collections.Counter()
        for left, right, names in active_parts({name: clipped(items, *span) for name, items in times.items()}):
            owner = COMPUTE if COMPUTE in names else "other_communication" if COMMUNICATION in names else "copies" if names else None
            owned[owner] += right - left if owner else 0
        idle = span[1] - span[0] - sum(owned.values())
        piece = [(COMPUTE, owned[COMPUTE]), ("copies", owned["copies"]), ("idle", idle),
                 ("other_communication", owned["other_communication"])]
        for owner, time in last_of(piece, come - max(ends[before], start)):
            rows[owner, trace.rank, device, before.series.name, collective, group] += time
        part = before
    return {row: time for row, time in rows.items() if time}, whole


def last_of(piece, length):
    """The owners' shares of what is left of a piece in which the path begins, in whole numbers that add up to it."""
    whole, before = sum(time for _, time in piece), 0
    for owner, time in piece:
        yield owner, ((before + time) * length // whole - before * length // whole) if whole else 0
        before += time


def clipped(items, begin, end):
    return [(max(left, begin), min(right, end)) for left, right in items if left < end and right > begin]
