"""The competitor in Python: the summary of profile.db, decoded with struct, and what it has at the root."""
import json
import pathlib
import struct
import sys


def text(data, at):
    return data[at:data.index(b"\0", at)].decode()


def main():
    folder = pathlib.Path(sys.argv[1])
    meta = (folder / "meta.db").read_bytes()
    names = {}
    array, count, step, _, summary_step = struct.unpack_from("<QIBBB", meta, struct.unpack_from("<Q", meta, 56)[0])
    for at in range(array, array + count * step, step):
        name, _, summaries, _, n_summaries = struct.unpack_from("<QQQHH", meta, at)
        for i in range(n_summaries):
            scope, _, _, number = struct.unpack_from("<QQBxH", meta, summaries + i * summary_step)
            if meta[scope + 8] == 2:  # execution
                names[number] = text(meta, name).split(" (")[0]
    with open(folder / "profile.db", "rb") as file:
        file.seek(24)
        section, = struct.unpack("<Q", file.read(8))
        file.seek(section)
        infos, = struct.unpack("<Q", file.read(8))
        file.seek(infos)
        n_values, values, n_rows, rows = struct.unpack("<QQIxxxxQ", file.read(32))
        file.seek(values)
        metrics = list(struct.iter_unpack("<Hd", file.read(10 * n_values)))
        file.seek(rows)
        index = list(struct.iter_unpack("<IQ", file.read(12 * n_rows)))
    contexts = {}
    for (context, first), (_, end) in zip(index, index[1:] + [(None, n_values)]):
        contexts[context] = dict(metrics[first:end])
    print(json.dumps({names[number]: value for number, value in contexts[0].items() if number in names}))


if __name__ == "__main__":
    main()
