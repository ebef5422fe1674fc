-- Where people are told of alerts, and when an address may be sent its next message.
create table carillon.alert_addresses (
  id uuid primary key,
  kind text not null check (kind in ('slack', 'email', 'url')),
  -- The address, and for a URL the secret that signs: sealed with CARILLON_SECRET, see src/base/seal.ts.
  sealed text not null,
  -- What may be shown of the address.
  shown text not null,
  -- Codes and severities; null is every alert.
  only_of text[],
  -- The least seconds between two messages.
  at_most integer not null,
  next_at timestamptz not null default now(),
  -- Why, and since when, messages do not arrive; null while they do.
  reason text,
  since timestamptz,
  tries integer not null default 0,
  sent bigint not null default 0,
  failed bigint not null default 0,
  sent_at timestamptz,
  -- The process that sends to it now, and until when, unless it says how that ended.
  claimant uuid,
  claimed_until timestamptz,
  created_at timestamptz not null default now()
) with (fillfactor = 60);

-- What an address is still to be told: of each alert only the latest, however often it came and went meanwhile.
create table carillon.alert_notices (
  address_id uuid not null references carillon.alert_addresses on delete cascade,
  code text not null,
  subject text not null,
  -- Changes with each change of the row: a sender removes only what it has sent.
  number bigint not null generated always as identity,
  type text not null check (type in ('alert.raised', 'alert.cleared')),
  at timestamptz not null default clock_timestamp(),
  times integer not null default 1,
  alert jsonb not null,
  primary key (address_id, code, subject)
) with (fillfactor = 60);

-- When HEARTBEAT_URL is asked next, and what came of the last time, for all processes of a service.
create table carillon.heartbeats (
  base_url text primary key,
  next_at timestamptz not null,
  beat_at timestamptz,
  -- Why it was not asked, or did not take it; null while all is well.
  reason text
) with (fillfactor = 50);
