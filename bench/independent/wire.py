"""HTTP/1.1 for the independent service: keep-alive, bodies with a length, one request at a time per connection."""

import asyncio
import json

REASONS = {200: "OK", 201: "Created", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found",
           422: "Unprocessable Entity", 429: "Too Many Requests", 500: "Internal Server Error"}
MOST_BYTES = 1_000_000


class Connection(asyncio.Protocol):
    """`answer(request, done)` calls `done(status, body, headers)` once, now or later."""

    def __init__(self, answer):
        self.answer, self.buffer, self.waiting = answer, b"", False

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.buffer += data
        self.work()

    def work(self):
        while not self.waiting:
            head, found, rest = self.buffer.partition(b"\r\n\r\n")
            if not found:
                if len(self.buffer) > MOST_BYTES:
                    self.transport.close()
                return
            lines = head.decode("latin-1").split("\r\n")
            headers = {}
            for line in lines[1:]:
                name, _, value = line.partition(":")
                headers[name.strip().lower()] = value.strip()
            parts = lines[0].split(" ")
            length = headers.get("content-length", "0")
            if len(parts) != 3 or not length.isdigit() or "transfer-encoding" in headers or int(length) > MOST_BYTES:
                self.transport.write(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
                self.transport.close()
                return
            size = int(length)
            if len(rest) < size:
                return
            body, self.buffer = rest[:size], rest[size:]
            self.waiting = True
            self.answer((parts[0], parts[1], headers, body), self.done)

    def done(self, status, body, headers=()):
        payload = json.dumps(body).encode()
        lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Answer')}", "content-type: application/json",
                 f"content-length: {len(payload)}", *(f"{name}: {value}" for name, value in headers)]
        if not self.transport.is_closing():
            self.transport.write("\r\n".join(lines).encode() + b"\r\n\r\n" + payload)
        self.waiting = False
        if self.buffer:
            self.work()
