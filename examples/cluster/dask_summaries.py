#!/usr/bin/env python3
"""One summary of a job of many ranks, made on a Dask cluster: every worker summarises profiles where it runs, and the
summaries are merged in pairs, wherever these are, until there is one.

    dask_summaries.py PROFILES job.cgpu                             # on the processors of this machine
    dask_summaries.py PROFILES job.cgpu --scheduler tcp://host:8786 # on a cluster
    cgpu report job.cgpu

The workers need the Python package cgpu, and must see the files under these names. Between machines go summaries alone,
some 100 kB a rank. Profiles that cannot be read are named; where they are more than --allow-missing, nothing is written.
"""
import argparse
import pathlib
import sys

import cgpu
import dask.bag
import distributed


def summary_of(path):
    """(the summary or none, what could not be read)."""
    try:
        return cgpu.summarize(path), []
    except cgpu.Error as error:
        return None, [str(error)]


def merged(parts):
    """The same of several."""
    summaries = [summary for summary, _ in parts if summary is not None]
    lost = [line for _, lines in parts for line in lines]
    return cgpu.merge(summaries) if summaries else None, lost


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("profiles", type=pathlib.Path, help="a folder with a profile a rank")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--scheduler", help="its address (default: a cluster of this machine's own)")
    parser.add_argument("--allow-missing", type=int, default=0, help="as many profiles may be unreadable (default: 0)")
    options = parser.parse_args()
    files = sorted(map(str, options.profiles.resolve().iterdir()))
    with distributed.Client(options.scheduler) as client:
        print("%d profiles, %d workers" % (len(files), len(client.scheduler_info(n_workers=-1)["workers"])))
        summaries = dask.bag.from_sequence(files, partition_size=1).map(summary_of)
        whole, lost = summaries.fold(lambda one, other: merged([one, other]), split_every=8).compute()
    for line in lost:
        print("left out: " + line, file=sys.stderr)
    if whole is None or len(lost) > options.allow_missing:
        sys.exit("%d of %d profiles cannot be read: --allow-missing says how many may be left out" % (len(lost), len(files)))
    options.output.write_bytes(whole)


if __name__ == "__main__":
    main()
