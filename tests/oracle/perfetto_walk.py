"""A second reader of Perfetto's protobuf traces, for what exports are checked against: packets, tracks, nested slices,
GPU render stages, flows. Follows the public definitions (protos/perfetto/trace); knows only what it needs."""
import struct

from oracle.protobuf import fields, message


class Walk:
    """What a trace holds. `slices`: of track events, dicts with track, name, category, start, duration, arguments;
    `stages`: GPU render stages, with gpu, queue, stage; `flows`: (from, to) pairs of indices into slices; `launches`:
    (index into slices, event id) pairs; `counters`: (track, time, value)."""

    def __init__(self, data):
        self.tables = {}
        self.tracks = {}
        self.slices, self.stages, self.instants, self.counters, self.launches = [], [], [], [], []
        self.gpus = []
        self.realtime = None
        events = []
        for number, packet in fields(data):
            assert number == 1
            packet = message(packet)
            for interned in packet.get(12, []):
                for table, entry in fields(interned):
                    entry = message(entry)
                    self.tables.setdefault(table, {})[entry[1][0]] = entry.get(2, [b""])[0].decode()
            for track in packet.get(60, []):
                track = message(track)
                self.tracks[track[1][0]] = {"name": track.get(2, [b""])[0].decode(),
                                            "parent": track.get(5, [None])[0]}
            for clocks in packet.get(6, []):
                clocks = {message(c)[1][0]: message(c)[2][0] for c in message(clocks)[1]}
                self.realtime = clocks[1] - clocks[6]
            for info in packet.get(128, []):
                self.gpus = [message(g).get(1, [b""])[0].decode() for g in message(info).get(1, [])]
            for event in packet.get(11, []):
                events.append((packet[8][0], message(event)))
            for stage in packet.get(53, []):
                self.stage(packet[8][0], message(stage))
        events.sort(key=lambda e: e[0])  # stable: at one time in the order of the file, as Perfetto does
        self.track_events(events)

    def track_events(self, events):
        stacks, open_flows, self.flows = {}, {}, []
        for time, event in events:
            kind, track = event[9][0], event[11][0]
            stack = stacks.setdefault(track, [])
            if kind == 1:
                number = len(self.slices)
                stack.append(number)
                self.slices.append({"track": track, "name": self.tables[2][event[10][0]], "start": time,
                                    "category": self.tables[1][event[3][0]], "duration": None,
                                    "arguments": dict(self.argument(a) for a in event.get(4, []))})
                for flow in event.get(47, []):
                    open_flows[flow] = number
                for flow in event.get(48, []):
                    self.flows.append((open_flows.get(flow), number))
                for correlation in event.get(3000, []):
                    self.launches += [(number, i) for i in message(correlation)[1]]
            elif kind == 2:
                opened = self.slices[stack.pop()]
                opened["duration"] = time - opened["start"]
            elif kind == 3:
                self.instants.append((self.tables[2][event[10][0]], time))
            else:
                self.counters.append((track, time, struct.unpack("<d", event[44][0])[0]))
        self.open = sum(map(len, stacks.values()))

    def argument(self, data):
        data = message(data)
        value = next(data[n][0] for n in (2, 4, 5, 6) if n in data)
        if 5 in data:
            value = struct.unpack("<d", value)[0]
        elif 4 in data:
            value = value - (1 << 64) if value >> 63 else value
        elif 6 in data:
            value = value.decode()
        return self.tables[3][data[1][0]], value

    def stage(self, time, stage):
        extra = {message(e)[1][0].decode(): message(e)[2][0].decode() for e in stage.get(6, [])}
        shape = None
        if 21 in stage:
            launch = message(stage[21][0])
            shape = tuple(tuple(message(launch[n][0])[axis][0] for axis in (1, 2, 3)) for n in (1, 2))
        self.stages.append({"id": stage[1][0], "start": time, "duration": stage[2][0], "gpu": stage.get(11, [None])[0],
                            "queue": self.tables[24][stage[13][0]], "stage": self.tables[24][stage[14][0]],
                            "name": self.tables[2][stage[20][0]], "shape": shape, "arguments": extra})
