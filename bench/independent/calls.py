"""The calls of the independent service: how each one goes is drawn from the seed and the number called."""

import datetime
import random
import uuid


def draw(seed, phone, nth):
    """How a call ends, and its ringing and talking in seconds."""
    dice = random.Random(f"{seed}/{phone}/{nth}")
    point = dice.random()
    if point < 0.3:
        return "no-answer", dice.uniform(20, 30), 0.0
    if point < 0.5:
        return "voicemail", dice.uniform(8, 15), dice.uniform(8, 20)
    if point < 0.55:
        return "busy", dice.uniform(2, 5), 0.0
    if point < 0.58:
        return "failed", dice.uniform(1, 4), 0.0
    return "completed", dice.uniform(3, 12), min(900.0, 5 + dice.expovariate(1 / 55))


def stamp(wall):
    return datetime.datetime.fromtimestamp(wall, datetime.timezone.utc).isoformat()


class Call:
    def __init__(self, body, phone, made_at, wall, fate, speed):
        self.id, self.sid = str(uuid.uuid4()), "SID" + uuid.uuid4().hex
        self.phone, self.agent_id = phone, body["agent_id"]
        self.outcome, ring, talk = fate
        self.made_at, self.wall = made_at, wall
        self.rings_at = made_at + 0.5 / speed
        self.talks_at = self.rings_at + ring / speed
        self.ends_at = self.talks_at + talk / speed
        self.talk = talk
        self.metadata = {}

    def status(self, now):
        if now >= self.ends_at:
            return self.outcome
        if now >= self.talks_at:
            return "in-progress"
        return "ringing" if now >= self.rings_at else "queued"

    def update(self, body, now):
        if isinstance(body.get("metadata"), dict):
            self.metadata.update(body["metadata"])
        if body.get("status") in ("canceled", "cancelled") and now < self.ends_at:
            self.outcome, self.talk = "canceled", max(0.0, now - self.talks_at)
            self.ends_at = self.talks_at = now

    def created(self, now):
        return {
            "id": self.id,
            "status": self.status(now),
            "provider_call_sid": self.sid,
            "phone_number": self.phone,
            "agent_id": self.agent_id,
            "message": "Call queued",
            "org_id": "org-independent",
        }

    def record(self, now):
        over = now >= self.ends_at
        return {
            "id": self.id,
            "phone_number": self.phone,
            "status": self.status(now),
            "direction": "outbound",
            "org_id": "org-independent",
            "agent_id": self.agent_id,
            "duration": round(self.talk, 1) if over else None,
            "transcript": "agent: Hello.\nperson: Hello." if over and self.outcome == "completed" else None,
            "recording_url": None,
            "cost": round(self.talk / 600, 4) if over else None,
            "metadata": self.metadata,
            "structured_data": {"outcome": self.outcome} if over else None,
            "contact_id": None,
            "created_at": stamp(self.wall),
            "updated_at": stamp(self.wall + min(now, self.ends_at) - self.made_at),
        }
