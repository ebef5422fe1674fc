"""The limits of the independent service: five kinds, each able to change while it runs. Times are seconds."""

import collections
import random


class Bucket:
    """Tokens flow in at the rate; `burst` of them are kept, one second's worth unless told otherwise."""

    def __init__(self, rate, burst, _window):
        self.rate, self.fixed_burst = rate, burst
        self.tokens, self.at = self.room(), 0.0

    def room(self):
        return max(1.0, self.fixed_burst or self.rate)

    def refill(self, now):
        self.tokens = min(self.room(), self.tokens + max(0.0, now - self.at) * self.rate)
        self.at = max(self.at, now)

    def take(self, now):
        """Returns (True, how long the answer is held back), or (False, how long until a request fits)."""
        self.refill(now)
        if self.tokens < 1.0:
            return False, (1.0 - self.tokens) / self.rate
        self.tokens -= 1.0
        return True, 0.0

    def change(self, rate, now):
        self.refill(now)
        self.rate = rate
        self.refill(now)


class Fixed:
    """Counts each window of this process's own clock."""

    def __init__(self, rate, _burst, window):
        self.rate, self.window = rate, window
        self.number, self.used = None, 0

    def most(self):
        return max(1, int(self.rate * self.window + 1e-9))

    def take(self, now):
        number = int(now // self.window)
        if number != self.number:
            self.number, self.used = number, 0
        if self.used >= self.most():
            return False, (number + 1) * self.window - now
        self.used += 1
        return True, 0.0

    def change(self, rate, _now):
        self.rate = rate


class Sliding(Fixed):
    """Counts the requests of the window that ends now, exactly."""

    def __init__(self, rate, burst, window):
        super().__init__(rate, burst, window)
        self.taken = collections.deque()

    def take(self, now):
        while self.taken and self.taken[0] <= now - self.window:
            self.taken.popleft()
        if len(self.taken) >= self.most():
            return False, self.taken[len(self.taken) - self.most()] + self.window - now
        self.taken.append(now)
        return True, 0.0


class Leaky:
    """A queue that drains at the rate: answers are held back, and a full queue refuses."""

    def __init__(self, rate, burst, _window):
        self.rate, self.places = rate, burst or 20
        self.free_at = 0.0

    def take(self, now):
        held = max(0.0, self.free_at - now)
        if held * self.rate > self.places - 1:
            return False, held - (self.places - 1) / self.rate
        self.free_at = max(self.free_at, now) + 1.0 / self.rate
        return True, held

    def change(self, rate, now):
        queued = max(0.0, self.free_at - now) * self.rate
        self.rate = rate
        self.free_at = now + queued / rate


KINDS = {"bucket": Bucket, "fixed": Fixed, "sliding": Sliding, "leaky": Leaky}


class Gate:
    """Every limit of one key, or of one account: the rate, a rate by operation, calls at once, and other clients."""

    def __init__(self, options):
        make = KINDS[options.limiter]
        build = lambda rate: make(rate, options.burst, options.window) if rate else None
        self.all = build(options.rate)
        self.by_kind = {"create": build(options.creates), "read": build(options.reads)}
        self.most_calls = options.calls
        self.ends = []
        self.share, self.random = options.strangers, random.Random(options.seed)
        self.next_stranger = 0.0
        self.strangers = []

    def change(self, rate, now):
        self.let_strangers(now)
        if self.all:
            self.all.change(rate, now)

    def let_strangers(self, now):
        """Other clients ask at random times for their share of the current rate."""
        if not self.all or not self.share:
            return
        self.next_stranger = self.next_stranger or now
        while self.next_stranger <= now:
            if self.all.take(self.next_stranger)[0]:
                self.strangers.append(self.next_stranger)
            self.next_stranger += self.random.expovariate(self.share * self.all.rate)

    def ask(self, kind, now):
        self.let_strangers(now)
        if kind == "create" and self.most_calls:
            self.ends = [call for call in self.ends if call.ends_at > now]
            if len(self.ends) >= self.most_calls:
                return False, max(0.0, min(call.ends_at for call in self.ends) - now)
        own = self.by_kind.get("create" if kind == "create" else "read")
        passed, wait = own.take(now) if own else (True, 0.0)
        if not passed or not self.all:
            return passed, wait
        return self.all.take(now)

    def placed(self, call):
        if self.most_calls:
            self.ends.append(call)
