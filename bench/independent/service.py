"""A voice service written only from the interface's description, whose limit changes while it runs.

It shares no code with Carillon or its simulator. It prints one line of JSON with its address, and counts for itself:
GET /_journal has every request with its time, key, kind and answer.
"""

import argparse
import asyncio
import email.utils
import json
import math
import random
import re
import signal
import time
import urllib.parse

from calls import Call, draw
from limits import KINDS, Gate
from wire import Connection

E164 = re.compile(r"^\+[1-9]\d{6,14}$")


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    number = lambda text: None if text == "none" else float(text)
    change = lambda text: tuple(float(part) for part in text.split(":"))
    add = parser.add_argument
    add("--port", type=int, default=0)
    add("--keys", default="secret", help="accepted keys, separated by commas")
    add("--limiter", choices=sorted(KINDS), default="bucket")
    add("--rate", type=number, default=None, help="requests a second, or none")
    add("--then", type=change, action="append", default=[], metavar="SECONDS:RATE",
        help="the rate from then on; seconds count from the first create")
    add("--burst", type=number, default=None, help="what a bucket or a leaky queue holds")
    add("--window", type=float, default=1.0, help="seconds of a fixed or sliding window")
    add("--creates", type=number, default=None, help="creates a second")
    add("--reads", type=number, default=None, help="other requests a second")
    add("--calls", type=int, default=None, help="calls at once")
    add("--strangers", type=float, default=0.0, help="share of the rate that other clients ask for")
    add("--account", action="store_true", help="one limit over all keys")
    add("--retry-after", choices=["none", "seconds", "date"], default="none")
    add("--latency", type=float, default=20.0, help="ms from a request to its answer")
    add("--jitter", type=float, default=0.0, help="up to this many ms more before a request is counted")
    add("--speed", type=float, default=1.0, help="how much shorter calls are")
    add("--seed", type=int, default=1)
    return parser.parse_args()


class Refused(Exception):
    def __init__(self, status, body, headers=()):
        super().__init__(status)
        self.status, self.body, self.headers = status, body, headers


def invalid(loc, msg, kind):
    return Refused(422, {"detail": [{"loc": loc, "msg": msg, "type": kind}]})


class Service:
    def __init__(self, options):
        self.options, self.loop = options, None
        self.keys = options.keys.split(",")
        self.gates = [Gate(options)] if options.account else [Gate(options) for _ in self.keys]
        self.calls, self.nth = {}, {}
        self.dice = random.Random(options.seed)
        self.entries, self.changes = [], []
        self.zero = self.zero_wall = None

    # -- the way of one request ---------------------------------------------------------------------------------

    def answer(self, request, done):
        if request[1] == "/_journal":
            return done(200, self.journal())
        if request[1] == "/_began":
            return done(200, {"began_at": self.began_at()})
        latency = self.options.latency / 1000
        before = latency / 2 + self.dice.random() * self.options.jitter / 1000
        self.loop.call_later(before, self.decide, request, done, latency / 2)

    def decide(self, request, done, after):
        now = time.monotonic()
        method, target, headers, _ = request
        kind = {"POST": "create", "PATCH": "update"}.get(method, "list" if "/phone-number" in target else "read")
        key, held = None, 0.0
        try:
            key = self.key_of(headers)
            held = self.admit(key, kind, now)
            status, body, more = *self.route(request, key, now), ()
        except Refused as refused:
            status, body, more = refused.status, refused.body, refused.headers
        self.entries.append((now, key, kind, status))
        self.loop.call_later(after + held, done, status, body, more)

    def key_of(self, headers):
        bearer = headers.get("authorization", "")
        secret = bearer[7:] if bearer.lower().startswith("bearer ") else headers.get("x-api-key")
        if secret not in self.keys:
            raise Refused(401, {"detail": "Invalid or missing API key"})
        return self.keys.index(secret)

    def gate(self, key):
        return self.gates[0 if self.options.account else key]

    def admit(self, key, kind, now):
        if kind == "create" and self.zero is None:
            self.start(now)
        passed, seconds = self.gate(key).ask(kind, now)
        if passed:
            return seconds
        how, more = self.options.retry_after, []
        if how == "seconds":
            more = [("retry-after", math.ceil(seconds))]
        elif how == "date":
            more = [("retry-after", email.utils.formatdate(math.ceil(time.time() + seconds), usegmt=True))]
        raise Refused(429, {"detail": "Too many requests"}, more)

    def start(self, now):
        """The first create is second 0 of the schedule."""
        self.zero, self.zero_wall = now, time.time()
        for seconds, rate in self.options.then:
            self.loop.call_later(seconds, self.change, rate)

    def change(self, rate):
        now = time.monotonic()
        self.changes.append((now, rate))
        for gate in self.gates:
            gate.change(rate, now)

    # -- the operations -----------------------------------------------------------------------------------------

    def route(self, request, key, now):
        method, target, _, body = request
        url = urllib.parse.urlsplit(target)
        if (method, url.path) == ("GET", "/v1/phone-number"):
            return 200, self.list_numbers(urllib.parse.parse_qs(url.query, keep_blank_values=True))
        if (method, url.path) == ("POST", "/v1/call"):
            return 201, self.create(self.read_body(body), key, now)
        found = re.fullmatch(r"/v1/call/([^/]+)", url.path)
        call = self.calls.get(urllib.parse.unquote(found[1])) if found else None
        if method not in ("GET", "PATCH") or call is None:
            raise Refused(404, {"detail": "Not found"})
        if method == "PATCH":
            call.update(self.read_body(body), now)
        return 200, call.record(now)

    def read_body(self, body):
        try:
            value = json.loads(body or b"null")
        except ValueError:
            raise invalid(["body"], "the body is not JSON", "json_invalid")
        if not isinstance(value, dict):
            raise invalid(["body"], "the body must be an object", "type_error")
        return value

    def create(self, body, key, now):
        if not isinstance(body.get("agent_id"), str) or not body["agent_id"]:
            raise invalid(["body", "agent_id"], "field required", "missing")
        # The interface does not name the field of the person: it is the object that has a phone number in it.
        people = [part for part in body.values() if isinstance(part, dict)]
        said = [text for part in people for text in part.values() if isinstance(text, str)]
        phone = next((text for text in said if E164.match(text)), None)
        if phone is None:
            raise invalid(["body", "customer"], "a phone number in E.164 is required", "value_error")
        if body.get("from_number") is not None and not E164.match(str(body["from_number"])):
            raise invalid(["body", "from_number"], "must be E.164", "value_error")
        nth = self.nth[phone] = self.nth.get(phone, -1) + 1
        call = Call(body, phone, now, time.time(), draw(self.options.seed, phone, nth), self.options.speed)
        self.calls[call.id] = call
        self.gate(key).placed(call)
        return call.created(now)

    def list_numbers(self, query):
        given = {"limit": (100, 1, 1000), "offset": (0, 0, None)}
        values = {}
        for name, (preset, least, most) in given.items():
            text = query.get(name, [str(preset)])[0]
            value = int(text) if re.fullmatch(r"-?\d+", text) else None
            if value is None or value < least or (most is not None and value > most):
                raise invalid(["query", name], f"must be a whole number from {least} to {most}", "value_error")
            values[name] = value
        numbers = [{"id": f"number-{i}", "phone_number": f"+1415555{i:04d}"} for i in range(3)]
        return numbers[values["offset"]:values["offset"] + values["limit"]]

    # -- what it counted ----------------------------------------------------------------------------------------

    def began_at(self):
        return None if self.zero_wall is None else round(self.zero_wall * 1000, 1)

    def journal(self):
        """Milliseconds after the first create; `began_at` is that moment on the wall clock."""
        zero = self.zero if self.zero is not None else time.monotonic()
        ms = lambda at: round((at - zero) * 1000, 1)
        return {
            "began_at": self.began_at(),
            "now": ms(time.monotonic()),
            "rates": [[0, self.options.rate], *([ms(at), rate] for at, rate in self.changes)],
            "entries": [[ms(at), key, kind, status] for at, key, kind, status in self.entries],
            "strangers": sorted(ms(at) for gate in self.gates for at in gate.strangers),
            "calls": [[ms(call.made_at), ms(call.ends_at)] for call in self.calls.values()],
        }


async def main():
    options = read_options()
    service = Service(options)
    service.loop = asyncio.get_running_loop()
    server = await service.loop.create_server(lambda: Connection(service.answer), "127.0.0.1", options.port)
    port = server.sockets[0].getsockname()[1]
    print(json.dumps({"url": f"http://127.0.0.1:{port}/v1"}), flush=True)
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        service.loop.add_signal_handler(name, stop.set)
    await stop.wait()
    server.close()


asyncio.run(main())
