"""A simulation by discrete events. Tasks are generators that yield how long they wait: a number of ns, or a Signal."""
import collections
import heapq


class Simulation:
    def __init__(self):
        self.now, self._queue, self._count = 0, [], 0

    def start(self, task, after=0):
        self._count += 1
        heapq.heappush(self._queue, (self.now + after, self._count, task))

    def run(self):
        """Until no task can go on; those that wait for signals then never will."""
        while self._queue:
            self.now, _, task = heapq.heappop(self._queue)
            wait = next(task, None)
            if wait is None:
                continue
            if isinstance(wait, Signal):
                wait.add(task)
            else:
                self.start(task, wait)


class Signal:
    """Set once; whoever waits for it then goes on."""

    def __init__(self, simulation):
        self.simulation, self.is_set, self._tasks = simulation, False, []

    def add(self, task):
        if self.is_set:
            self.simulation.start(task)
        else:
            self._tasks.append(task)

    def set(self):
        self.is_set = True
        for task in self._tasks:
            self.simulation.start(task)
        self._tasks.clear()


class Resource:
    """`capacity` units that are lent in the order of the requests."""

    def __init__(self, simulation, capacity=1.0):
        self.simulation, self.free, self._waiting = simulation, capacity, collections.deque()

    def acquire(self, units=1.0):
        if self._waiting or self.free < units - 1e-9:
            signal = Signal(self.simulation)
            self._waiting.append((units, signal))
            yield signal
        else:
            self.free -= units

    def release(self, units=1.0):
        self.free += units
        while self._waiting and self.free >= self._waiting[0][0] - 1e-9:
            units, signal = self._waiting.popleft()
            self.free -= units
            signal.set()


class Channel:
    """A queue between tasks; put() waits while it is full."""

    def __init__(self, simulation, capacity=1 << 30):
        self.simulation, self.capacity = simulation, capacity
        self._items, self._getters, self._putters = collections.deque(), collections.deque(), collections.deque()

    def __len__(self):
        return len(self._items)

    def put(self, item=None):
        while len(self._items) >= self.capacity:
            signal = Signal(self.simulation)
            self._putters.append(signal)
            yield signal
        self._items.append(item)
        if self._getters:
            self._getters.popleft().set()

    def get(self):
        while not self._items:
            signal = Signal(self.simulation)
            self._getters.append(signal)
            yield signal
        item = self._items.popleft()
        if self._putters:
            self._putters.popleft().set()
        return item
