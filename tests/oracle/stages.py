"""The stage of a pipeline that each rank holds, from its Kineto trace (docs/definitions/ranks.md, "rank_outliers")."""
import json


def described(paths):
    """{rank: its place among the members of its group "mesh_pp"}."""
    stages = {}
    for path in paths:
        info = load(path)["distributedInfo"]
        for group in info["pg_config"]:
            if group["pg_desc"] == "mesh_pp":
                stages[info["rank"]] = group["ranks"].index(info["rank"])
    return stages


def by_transfers(paths):
    """{rank: ranks before it}, by whom each receives from; of jobs whose pipelines only go forward."""
    before = {}
    for path in paths:
        trace = load(path)
        sources = {event["args"]["Src Rank"] for event in trace["traceEvents"] if "Src Rank" in event.get("args", {})}
        assert len(sources) <= 1, (path, sources)
        before[trace["distributedInfo"]["rank"]] = next(iter(sources), None)
    stages = {}
    for rank in before:
        stages[rank], at = 0, before[rank]
        while at is not None:
            stages[rank], at = stages[rank] + 1, before[at]
    return stages


def load(path):
    with open(path, encoding="utf-8") as handle:
        return json.load(handle)
