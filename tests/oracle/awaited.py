"""What other threads did while a thread of their process waited for them (table idle)."""
import re

from . import idle, kineto

FOR_A_THREAD = re.compile(r"^pthread_cond_((timed|clock)?)wait$|^pthread_barrier_wait$|^sem_((timed|clock)?)wait$"
                          r"|^<built-in method get of _queue\.SimpleQueue|^<method 'get' of '_queue\.SimpleQueue"
                          r"|queue\.py.*\(.*\): get$|threading\.py.*\(.*\): wait$")
OTHER_WAITS = re.compile(r"^(p?poll|p?select|epoll_p?wait|accept4?|recv|recvfrom|recvmsg)$| of '?select\."
                         r"|^(pthread_join|pthread_timedjoin_np|wait|waitpid|wait3|wait4|waitid|sigwait|sigwaitinfo"
                         r"|sigtimedwait|sigsuspend|pause)$")
MARK = re.compile(r"^ProfilerStep#|^execute_(.*context_.*generation_|.*generation_.*context_|model($|:))|^model_run$|^step\["
                  r"|(?i:^[^a-z0-9]*(executor[^a-z0-9]+forward[^a-z0-9]+|((train|training|global|inference|time|main|outer"
                  r"|solver|mini|md|sim|simulation|video|render)[^a-z0-9]+)*)"
                  r"(step|iteration|iter|timestep|batch|epoch|cycle|frame)[^a-z0-9]*[0-9])")


def is_mark(name):
    """Whether it is the mark of an iteration, in which a thread does nothing by itself."""
    return MARK.search(name) is not None


class AwaitedThreads:
    """What other threads did in the waits of a thread for them."""
    SHORTEST = 100_000
    AT_ONCE = 50_000

    def __init__(self, host):
        self.host, self.of_thread = host, {}

    def at(self, thread, left, right):
        """The thread that `thread` waits for in this time; None where it waits for none."""
        if thread not in self.of_thread:
            self.of_thread[thread] = [(start, end, self.other(thread, start, end)) for start, end in self.waits(thread)]
        return next((other for start, end, other in self.of_thread[thread] if start <= left and right <= end), None)

    def within(self, thread, begin, end):
        self.at(thread, begin, end)
        return {other for start, stop, other in self.of_thread[thread] if other and start < end and stop > begin}

    def waits(self, thread):
        """(start, end) of the long pieces that have the cause lock, for a wait for a thread."""
        waits = [s for s in self.host.slices[thread] if FOR_A_THREAD.search(s.name)]
        if not any(s.end - s.start >= self.SHORTEST for s in waits):
            return
        times = [c[0] for c in self.host.causes[thread]] + self.host.profiler + self.host.driver
        cuts = sorted({t for item in times for t in (item.start, item.end)})
        pieces = []  # [start, end, slice]
        for left, right in zip(cuts, cuts[1:]):
            cause, item = self.host.cause_at(left, right, self.host.around(thread, left, right))
            if cause != "lock" or not any(w.start <= item.start and item.end <= w.end for w in waits):
                continue
            if pieces and pieces[-1][1] == left and pieces[-1][2] is item:
                pieces[-1][1] = right
            else:
                pieces.append([left, right, item])
        yield from ((start, end) for start, end, _ in pieces if end - start >= self.SHORTEST)

    def other(self, thread, start, end):
        threads = [t for t in self.host.slices if t[0] == thread[0] and self.host.slices[t]]
        if len(threads) > 64:
            return None
        best, least = None, (end - start) // 5
        for other in (t for t in threads if t != thread):
            items = self.host.slices[other]
            if not any(abs(s.start - end) <= self.AT_ONCE and self.is_wait(s)
                       or abs(s.end - end) <= self.AT_ONCE and s.start <= end - self.AT_ONCE
                       and 2 * (s.end - s.start) >= end - start for s in items):
                continue
            waited = self.waited(items, start, end)
            if waited < least:
                best, least = other, waited
        return best

    @staticmethod
    def is_wait(item):
        return (idle.cause_of(item) in ("lock", "no_work") or FOR_A_THREAD.search(item.name) is not None
                or OTHER_WAITS.search(item.name) is not None or item.name in idle.SLEEPS)

    def waited(self, items, start, end):
        near = [s for s in items if s.start < end and s.end > start]
        launches = any(s.kind in kineto.CALLS and start <= s.start < end for s in near)
        cuts = sorted({start, end} | {t for s in near for t in (s.start, s.end) if start < t < end})
        waited = 0
        for left, right in zip(cuts, cuts[1:]):
            innermost = max((s for s in near if s.start <= left and right <= s.end), key=idle.place, default=None)
            if (not launches) if innermost is None else self.is_wait(innermost):
                waited += right - left
        return waited

    def part(self, other, left, right, near):
        """(cause, culprit, slice) of what the other one did."""
        cause, item = self.host.cause_at(left, right, near)
        if cause is not None:
            return cause, idle.folded(item.name), item
        innermost = max((s for s in near[1] if s.start <= left and right <= s.end), key=idle.place, default=None)
        if innermost is None or is_mark(innermost.name):
            return "host_code", "(nothing recorded)", innermost
        return "host_code", idle.folded(innermost.name), innermost
