#!/usr/bin/env python3
"""One summary of a job of many ranks, made on a Dask cluster: every worker summarises profiles where it runs, and the
summaries are merged in pairs, wherever these are, until there is one.

    dask_summaries.py PROFILES job.cgpu                             # on the processors of this machine
    dask_summaries.py PROFILES job.cgpu --scheduler tcp://host:8786 # on a cluster
    cgpu report job.cgpu

The workers need the Python package cgpu, and must see the files under these names. Between machines go summaries alone,
some 100 kB a rank.
"""
import argparse
import pathlib

import cgpu
import dask.bag
import distributed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("profiles", type=pathlib.Path, help="a folder with a profile a rank")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--scheduler", help="its address (default: a cluster of this machine's own)")
    options = parser.parse_args()
    files = sorted(map(str, options.profiles.resolve().iterdir()))
    with distributed.Client(options.scheduler) as client:
        print("%d profiles, %d workers" % (len(files), len(client.scheduler_info(n_workers=-1)["workers"])))
        summaries = dask.bag.from_sequence(files, partition_size=1).map(cgpu.summarize)
        merged = summaries.fold(lambda one, other: cgpu.merge([one, other]), split_every=8).compute()
    options.output.write_bytes(merged)


if __name__ == "__main__":
    main()
