"""Seeds of the fuzz target for the text of perf script: samples, traced branches, headers, and damage."""
import gzip

HEADER = "# ========\n# hostname : node\n# perf version : 6.1\n# arch : x86_64\n# cmdline : perf record x\n#\n"


def sample(head, *frames):
    return head + "\n" + "".join("\t%16x %s\n" % (0x6F1 + i, f) for i, f in enumerate(frames)) + "\n"


SAMPLES = (sample("my app  7/9 [002] 10.000001:    1000 cpu-clock: ", "_Z5innerv+0x1c (/bin/app)", "main (/bin/app)") +
           sample("my app  7/9 [002] 10.000003:    1000 cpu-clock: ", "main (/bin/app)") +
           sample("swapper     0 [003] 10.000003500:    5 cycles:u: ", "[unknown] ([kernel.kallsyms])",
                  "_RNvC1a1f (x)") +
           sample("x 1 e: ", "f(int, char) (/a b (deleted))", "g (inlined)"))


def branch(kind, depth, name, time):
    return " app 1/1 [000] 1.%09d:   %-20s%s%-30s %16x %s+0x1 (/bin/app)\n" % (time, kind, "    " * depth, name, 1, "f")


BRANCHES = (branch("call", 1, "f", 10) + branch("call", 2, "g", 20) + branch("return", 2, "g", 30) +
            " instruction trace error type 1 time 1.0 cpu 0 pid 1 tid 1 ip 0x1 code 6: lost\n" +
            branch("tr end  syscall", 9, "", 40) + branch("return", 1, "f", 50) + branch("return", 0, "main", 60) +
            branch("call", 0, "open", 70))


def seeds():
    whole = (HEADER + SAMPLES).encode()
    yield "whole.txt", whole
    yield "whole.txt.gz", gzip.compress(whole, mtime=0)
    yield "crlf.txt", whole.replace(b"\n", b"\r\n")
    yield "truncated.txt", whole[:len(whole) * 2 // 3]
    yield "one_line.txt", b"a 1 1.0: 7 cycles:  6f1 main (/bin/app)\na 1 2.0: 3 cycles: \n"
    yield "branches.txt", BRANCHES.encode()
    yield "both.txt", (SAMPLES + BRANCHES + SAMPLES).encode()
    yield "limits.txt", (b"a 9223372036854775807 [1] 4611686018.0: 9223372036854775807 cpu-clock:\n"
                         b"a 1 0.0: 5 cpu-clock:\n")
