-- The numbers that campaigns call from. A number has its E.164 as its name, or the service's id where only that is
-- known. The fence locks the rows of numbers whose calls a campaign limits, after the phones.
create table carillon.caller_numbers (
  name text primary key,
  number_id text,
  -- What the service's list says of it, as an order may name it: `label:sales`.
  words text[] not null default '{}',
  -- Where it belongs, for calls from near the person: states as in a recipient's place, and the calling code.
  states text[] not null default '{}',
  code text,
  -- Why it rests: a person said so, its answers fell, or its calls turned short. It returns then (null: a person
  -- returns it). `sure`: of the last rest that the answers gave reason for, from 0 to 1.
  rest text check (rest in ('hand', 'answers', 'short')),
  rested_at timestamptz,
  returns_at timestamptz,
  sure double precision,
  -- How its calls ended, over all campaigns.
  calls double precision not null default 0,
  answered double precision not null default 0,
  -- What the watch over its answers remembers.
  watch jsonb,
  check ((rest is null) = (rested_at is null))
);
create index caller_numbers_id on carillon.caller_numbers (number_id) where number_id is not null;

-- Which key's account has which number. A key that has none here has not listed its numbers.
create table carillon.caller_keys (
  lane_id integer not null references carillon.lanes,
  name text not null,
  primary key (lane_id, name)
);

-- How the calls of a campaign from a number ended: what the watch has not read yet, and what it has, which fades.
create table carillon.caller_tallies (
  campaign_id uuid not null,
  name text not null,
  fresh_calls double precision not null default 0,
  fresh_answered double precision not null default 0,
  -- Answered calls that were not short.
  fresh_long double precision not null default 0,
  recent jsonb,
  primary key (campaign_id, name)
) with (fillfactor = 50);
create index caller_tallies_fresh on carillon.caller_tallies (campaign_id) where fresh_calls <> 0;

alter table carillon.campaigns
  add column has_callers boolean not null
    generated always as (coalesce(jsonb_array_length(terms -> 'callers'), 0) > 0) stored,
  add column per_number_calls integer generated always as ((terms ->> 'perNumberCalls')::integer) stored
    check (per_number_calls > 0),
  add column per_number_day integer generated always as ((terms ->> 'perNumberDay')::integer) stored
    check (per_number_day > 0);

-- Live attempts, and calls that may have rung, by their caller number.
create index attempts_caller on carillon.attempts ((coalesce(caller ->> 'number', caller ->> 'numberId')))
  where caller is not null;
alter table carillon.phone_calls add column caller text;
create index phone_calls_caller on carillon.phone_calls (caller, at) where caller is not null;
