"""Summaries of runs, and of many ranks: what `cgpu summarize` and `cgpu merge` write, as bytes."""
from __future__ import annotations

import warnings
from typing import Any, Iterable, List, Mapping, Optional, Tuple, Union

from . import _cgpu
from ._session import DamagedProfile, Numbers, Path, Time, input_names, part_words, several


def summarize(paths: Union[Path, Iterable[Path]], *, with_host: bool = False, from_: Optional[Time] = None,
              to: Optional[Time] = None, step: Optional[Numbers] = None, rank: Optional[Numbers] = None,
              device: Optional[Numbers] = None, storage_options: Optional[Mapping[str, Any]] = None) -> bytes:
    """What is kept of a run, as `cgpu summarize` keeps it: a file of some 100 kB (.cgpu), to be written, sent or merged.

    paths      a profile, or several that are ranks of one run, as `cgpu.open` takes them.
    with_host  keep the names of machines, too.
    from_, to, step, rank, device  only this part of the run, as `cgpu.open` takes it.
    storage_options  options of fsspec for URLs.

    Raises Error for what cannot be read.
    """
    return _cgpu.summarize(input_names(paths, storage_options), part_words(from_, to, step, rank, device), with_host)


def merge(summaries: Iterable[Union[bytes, Path]], *, allow_missing: int = 0) -> bytes:
    """Summaries of ranks put together into one, as `cgpu merge` does; in any order and grouping the bytes are the same
    (docs/many-ranks.md). What is missing or there twice, the table `notes` of the result has.

    summaries      each the bytes that `summarize` or `merge` returned, or the path or URL of a .cgpu file, of a folder of
                   them, or a pattern.
    allow_missing  as many may be damaged or not there. They are left out, each with a DamagedProfile warning; those that
                   earlier merges left out count, too.

    Raises Error for what is no summary, and where more than `allow_missing` are damaged or not there.
    """
    if isinstance(allow_missing, bool) or not isinstance(allow_missing, int) or not 0 <= allow_missing < 2**31:
        raise _cgpu.Error("allow_missing=%r: how many summaries may be left out was expected" % (allow_missing,))
    parts: List[Tuple[bytes, bytes]] = []
    for number, summary in enumerate(several(summaries)):
        if not isinstance(summary, (bytes, bytearray, memoryview)):
            parts += [(b"", name) for name in input_names(summary)]
        elif len(summary) == 0:
            raise _cgpu.Error("summary %d: has no bytes; what cgpu.summarize returned was expected" % number)
        else:
            parts.append((bytes(summary), b""))
    if not parts:
        raise _cgpu.Error("no summary was given: give what cgpu.summarize returned, or .cgpu files")
    merged, left_out = _cgpu.merge(parts, allow_missing)
    for line in left_out:
        warnings.warn(line, DamagedProfile, stacklevel=2)
    return merged
