"""What tables rank_outliers and findings must say of a simulated job (tests/builder/job.h), by the truth that was written with it."""
LOADS_LONGER = 3_000_000  # ns an iteration: what job.cpp plants
LINK_IS_SLOWER = 600_000
PRODUCTS = 4 * 400_000  # of the four layers that the job has without options
STRAGGLES = 0.3


def ranges(numbers):
    """"3,17-20"."""
    parts = []
    for number in sorted(numbers):
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(str(low) if low == high else "%d-%d" % (low, high) for low, high in parts)


def expected(truth):
    """By (owner, ranks): scope and excess."""
    ranks, missing, again = truth["ranks"], set(truth["missing"]), truth["duplicated"]

    def there(wanted):
        wanted = {rank for rank in wanted if rank < ranks and rank not in missing}
        return wanted | {ranks + place for place, rank in enumerate(again) if rank in wanted}  # the second of a rank

    machine = truth["ranks_of_machine"]
    pod = machine * truth["machines_of_pod"]
    found = {("compute", str(rank)): ("device", PRODUCTS * STRAGGLES) for rank in truth["stragglers"]}
    if truth["slow_machine"] is not None:
        first = truth["slow_machine"] * machine
        found["data_loading", ranges(there(range(first, first + machine)))] = ("host", LOADS_LONGER)
    if truth["slow_link"] is not None:
        first = truth["slow_link"] * machine // pod * pod
        found["transfer", ranges(there(range(first, first + pod)))] = ("several", LINK_IS_SLOWER)
    return found


def differences(rows, truth, of_times=0.03):
    """Lines that say what is not as it was planted; `of_times` of the planted time may be noise."""
    want = expected(truth)
    have = {(row["owner"], row["ranks"]): row for row in rows}
    lines = ["missing: %s" % (key,) for key in want if key not in have]
    lines += ["not planted: %s" % (row,) for key, row in have.items() if key not in want]
    for key, (scope, excess) in want.items():
        row = have.get(key)
        if row is None:
            continue
        if row["scope"] != scope or abs(row["excess_ns"] - excess) > of_times * excess + 5_000:
            lines.append("%s should be %s of %d ns: %s" % (key, scope, excess, row))
    return lines


def finding_differences(rows, truth):
    """The same of table findings: who, and why, by the names of the causes that are planted."""
    names = {"data_loading": "data loading takes ", "compute": "kernels take ", "transfer": "transfer "}
    who = {}  # ranks by owner: those of devices that deviate each by itself are one finding
    for owner, ranks in expected(truth):
        who.setdefault(owner, []).append(ranks)
    lines = []
    for owner, ranks in who.items():
        rule = "slow_link" if owner == "transfer" else "straggler"
        found = [row for row in rows if row["rule"] == rule and names[owner] in row["title"]]
        if len(found) != 1 or "anks " + ",".join(ranks) not in found[0]["title"]:
            lines.append("%s of ranks %s should be one finding: %s" % (owner, ranks, [row["title"] for row in found]))
    if len(rows) != len(who):
        lines.append("not planted: %s" % ([row["title"] for row in rows],))
    return lines
