"""A second reader of Perfetto's protobuf traces, for what exports are checked against: packets, tracks, nested slices,
flows. Follows the public definitions (protos/perfetto/trace); knows only what it needs."""
import struct

from oracle.protobuf import fields, message


class Walk:
    """What a trace holds. `slices`: of track events, dicts with track, name, category (the first), start, duration,
    arguments; `flows`: (from, to) pairs of indices into slices; `instants`: (name, time); `counters`: (track, time,
    value); `tracks`: by number, dicts with name, parent, pid, tid; `gpus`: their names."""

    def __init__(self, data):
        self.tables = {}  # by sequence and kind
        self.tracks = {}
        self.slices, self.instants, self.counters = [], [], []
        self.gpus = []
        self.realtime = None
        events = []
        for number, packet in fields(data):
            assert number == 1
            packet = message(packet)
            sequence = packet[10][0]
            for interned in packet.get(12, []):
                for table, entry in fields(interned):
                    entry = message(entry)
                    self.tables.setdefault((sequence, table), {})[entry[1][0]] = entry.get(2, [b""])[0].decode()
            for track in packet.get(60, []):
                track = message(track)
                process, thread = (message(track.get(n, [b""])[0]) for n in (3, 4))
                self.tracks[track[1][0]] = {"name": track.get(2, [b""])[0].decode(),
                                            "parent": track.get(5, [None])[0],
                                            "pid": (process or thread).get(1, [None])[0],
                                            "tid": thread.get(2, [None])[0]}
            for clocks in packet.get(6, []):
                clocks = {message(c)[1][0]: message(c)[2][0] for c in message(clocks)[1]}
                self.realtime = clocks[1] - clocks[6]
            for info in packet.get(128, []):
                self.gpus = [message(g).get(1, [b""])[0].decode() for g in message(info).get(1, [])]
            for event in packet.get(11, []):
                events.append((packet[8][0], sequence, message(event)))
        events.sort(key=lambda e: e[0])  # stable: at one time in the order of the file, as Perfetto does
        self.track_events(events)

    def text(self, sequence, table, number):
        return self.tables[sequence, table][number]

    def track_events(self, events):
        stacks, ends = {}, {}
        for time, sequence, event in events:
            kind, track = event[9][0], event[11][0]
            stack = stacks.setdefault(track, [])
            if kind == 1:
                number = len(self.slices)
                stack.append(number)
                self.slices.append({"track": track, "name": self.text(sequence, 2, event[10][0]), "start": time,
                                    "category": self.text(sequence, 1, event[3][0]), "duration": None,
                                    "arguments": dict(self.argument(sequence, a) for a in event.get(4, []))})
                for end, flows in enumerate((event.get(47, []), event.get(48, []))):
                    for flow in flows:
                        ends.setdefault(flow, [None, None])[end] = number
            elif kind == 2:
                opened = self.slices[stack.pop()]
                opened["duration"] = time - opened["start"]
            elif kind == 3:
                self.instants.append((self.text(sequence, 2, event[10][0]), time))
            else:
                self.counters.append((track, time, struct.unpack("<d", event[44][0])[0]))
        self.open = sum(map(len, stacks.values()))
        self.flows = [tuple(pair) for pair in ends.values()]

    def argument(self, sequence, data):
        data = message(data)
        value = next(data[n][0] for n in (2, 4, 5, 6) if n in data)
        if 5 in data:
            value = struct.unpack("<d", value)[0]
        elif 4 in data:
            value = value - (1 << 64) if value >> 63 else value
        elif 6 in data:
            value = value.decode()
        return self.text(sequence, 3, data[1][0]), value
