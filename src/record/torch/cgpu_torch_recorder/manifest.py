"""The manifest of a recording: DIR/manifest.jsonl, to which each process appends one line."""
import json
import os


def append(folder, line):
    """One write to a file opened for appending: lines of processes that write at once do not mix."""
    data = (json.dumps(line) + "\n").encode("utf-8")
    descriptor = os.open(os.path.join(folder, "manifest.jsonl"), os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        os.write(descriptor, data)
    finally:
        os.close(descriptor)
