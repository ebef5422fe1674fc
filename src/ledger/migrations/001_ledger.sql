-- The ledger: the only truth. Every state is drawn in docs/reference/states.md and enforced here by a CHECK. Rows that are
-- read and moved all day (live attempts, live phones, deltas of tallies) are kept few, and apart from what only grows
-- (ended attempts, history, events). The latter are partitioned by time: one default partition today; months can be added
-- without another layout.

-- The ledger itself, in one row.
create table carillon.ledger (
  one boolean primary key default true check (one),
  id uuid not null default gen_random_uuid(),
  -- With it, digests of phones are made that stand outside the ledger: without the ledger they say nothing.
  phone_key uuid not null default gen_random_uuid(),
  made_at timestamptz not null default now()
);
insert into carillon.ledger default values;

-- One voice-service account behind one key. Only the name of the key is here, never its secret.
create table carillon.lanes (
  id integer generated always as identity primary key,
  base_url text not null,
  name text not null,
  state text not null default 'open' check (state in ('open', 'failing', 'out_of_credit', 'denied')),
  reason text,
  since timestamptz not null default now(),
  -- Recent creates that got no answer, or that of a failing service, less those that were answered well.
  losses integer not null default 0,
  -- A lane that is failing or out of credit sends one create at growing intervals, to see whether it has recovered.
  probe_at timestamptz,
  probe_gap_ms integer not null default 5000,
  probe_attempt uuid,
  -- Since when every create is refused as too many, how many calls were in progress at the first refusal, since when there
  -- were fewer of them at a refusal, and the service's last words.
  refused_since timestamptz,
  refused_calls integer,
  spare_since timestamptz,
  refused_words text,
  -- Calls at once, as its planner knows it: the setting or what was learned.
  max_calls integer,
  -- A digest of the key's secret and its rate, as the processes that dial have them, and when a person said that they are
  -- right: see carillon.agree_keys.
  key_digest text,
  key_rate text,
  key_confirmed_at timestamptz,
  -- How far credit reaches: what the key's calls have cost since it last had credit again, and what they cost in the whole
  -- period before that. Null until it is known.
  credit_spent double precision,
  credit_lasted double precision,
  -- What a call of the service costs at most, as its description says.
  call_cost double precision check (call_cost > 0),
  unique (base_url, name)
);

-- One order to call a list.
create table carillon.campaigns (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  -- 'calls' gathers the single calls that came through the API or `call create`.
  kind text not null default 'list' check (kind in ('list', 'calls')),
  base_url text not null,
  state text not null default 'draft' check (state in ('draft', 'running', 'paused', 'canceled', 'done')),
  reason text,
  since timestamptz not null default now(),
  -- Its driver: an active `run`, or the background workers.
  driver text not null check (driver in ('run', 'background')),
  run_id uuid,
  run_seen_at timestamptz,
  -- The order as src/control/order/order.ts reads it. The parts that SQL needs are in columns made from it.
  terms jsonb not null,
  times jsonb generated always as (nullif(terms -> 'times', 'null')) stored,
  -- As text, because no cast to a time is immutable: carillon.has_ended compares it.
  ends_at text generated always as (terms #>> '{times,endAt}') stored,
  max_calls integer generated always as ((terms ->> 'maxCalls')::integer) stored check (max_calls > 0),
  max_cost double precision generated always as ((terms ->> 'maxCost')::double precision) stored check (max_cost > 0),
  max_attempts integer not null generated always as ((terms ->> 'maxAttempts')::integer) stored check (max_attempts > 0),
  weight integer not null generated always as ((terms ->> 'weight')::integer) stored check (weight between 1 and 100),
  retry_first boolean not null generated always as (coalesce((terms ->> 'retryFirst')::boolean, false)) stored,
  first_people integer generated always as ((terms ->> 'first')::integer) stored check (first_people > 0),
  evergreen boolean not null generated always as (coalesce((terms ->> 'evergreen')::boolean, false)) stored,
  stop_percent double precision generated always as ((terms #>> '{stopAt,percent}')::double precision) stored,
  stop_seconds integer generated always as ((terms #>> '{stopAt,seconds}')::integer) stored,
  has_callers boolean not null
    generated always as (coalesce(jsonb_array_length(terms -> 'callers'), 0) > 0) stored,
  per_number_calls integer generated always as ((terms ->> 'perNumberCalls')::integer) stored
    check (per_number_calls > 0),
  per_number_day integer generated always as ((terms ->> 'perNumberDay')::integer) stored check (per_number_day > 0),
  -- The campaign paused when it had called this many first people; only an order for more of them makes it stop again.
  first_met integer not null default 0,
  -- The most attempts that it ever allowed: when an order is changed to fewer, earlier calls must not look like too
  -- many.
  most_attempts integer not null default 1,
  -- The input's own columns in their order.
  columns text[] not null default '{}',
  -- Single calls that a person ordered whatever the contact rules say.
  ignores_policy boolean not null generated always as (coalesce((terms #>> '{times,ignoresPolicy}')::boolean, false)) stored,
  -- Until a create was accepted, one goes out at a time; faults counts the refusals in a row.
  proved boolean not null default false,
  faults integer not null default 0,
  -- Grows with every change that a dialer must know; opening an attempt with an old one is refused.
  revision integer not null default 0,
  -- Why its waiting rows are skipped, in later batches; null when none are left.
  sweep text,
  -- The revision that allowed more attempts than before, while people who may be tried again are still done; else null.
  renewing integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  superseded_at timestamptz,
  -- Its rows are being deleted, and it is not shown any more.
  deleted_at timestamptz
);
create unique index campaigns_name on carillon.campaigns (name) where superseded_at is null;
create index campaigns_sweep on carillon.campaigns (id) where sweep is not null;
create index campaigns_renewing on carillon.campaigns (id) where renewing is not null;

-- One person on one campaign. 'live' means that carillon.attempts has an attempt, whose state says the rest:
-- carillon.people joins the two.
create table carillon.recipients (
  id bigint generated always as identity primary key,
  campaign_id uuid not null references carillon.campaigns,
  row integer not null,
  -- Attempts that have ended and may have reached the person's phone.
  attempts integer not null default 0 check (attempts >= 0),
  phone text not null,
  -- Tells two single calls to one phone apart; empty on a list, which has each phone once.
  ref text not null default '',
  name text,
  -- The agent that this row asks for; null leaves it to the order.
  agent text,
  -- Of a single call: what it overrides of its agent's settings. The people of a list have their order's.
  override jsonb,
  place text not null default '',
  -- The input, as it was given; and the part of it that goes to the service with a call: an object, or a list of the
  -- names in the input that do not go, so that a long list is not kept twice. Read it with carillon.variables_of.
  input jsonb not null default '{}',
  variables jsonb not null default '{}',
  state text not null default 'waiting' check (
    state in ('waiting', 'live', 'done', 'parked', 'rejected', 'skipped')),
  outcome text check (
    outcome in ('answered', 'voicemail', 'no-answer', 'busy', 'failed', 'canceled', 'dropped')),
  reason text,
  next_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default now(),
  -- How often the owner's rule redialled an unknown attempt.
  redials smallint not null default 0 check (redials between 0 and 1),
  -- At least so many attempts are allowed, whatever the order says: a person asked for one more.
  granted smallint not null default 0,
  -- Among those whom the campaign called before it paused, to be told whether to call the rest.
  is_first boolean not null default false,
  -- Whether carillon.phones has numbers of theirs.
  several boolean not null default false,
  -- When the person asked, on a call, to be called back; null again once that call has ended. And how often it was taken
  -- up: these attempts come on top of those that the order allows.
  callback_at timestamptz,
  callbacks smallint not null default 0,
  -- The span of the program that ordered a single call, as it named it: the call's own spans link it, and services that
  -- take part in traces are told.
  traceparent text,
  -- The contact rule that holds a waiting row back until next_at, and the version of the rules that it is of.
  held text check (held in ('cap', 'gap', 'conversation')),
  held_under integer,
  -- When its next attempt was due, if a rule that holds it longer was known before: it counts again when the rule is gone.
  retry_at timestamptz,
  -- When what it says of the person was erased: on request, and then the phone is a mark of the erasure, or by its age.
  erased_at timestamptz,
  -- The phone comes first, so that people are found by it over all campaigns too.
  unique (phone, campaign_id, ref),
  check (state <> 'waiting' or outcome is null or attempts > 0),
  -- A person who was erased is never called again by this row, whatever a verb forgets.
  check (not starts_with(phone, 'erased:') or state in ('done', 'skipped', 'rejected'))
);
create index recipients_due on carillon.recipients (campaign_id, next_at, row) where state = 'waiting';
-- A window is open in some places and closed in others: this finds open ones without a scan of the closed ones.
create index recipients_place on carillon.recipients (campaign_id, place, next_at, row) where state = 'waiting';
-- People who asked to be called back go first: where nobody did, this is empty, and costs a look.
create index recipients_callback on carillon.recipients (campaign_id, next_at, row)
  where state = 'waiting' and callback_at is not null;
create index recipients_first on carillon.recipients (campaign_id) where is_first;
create index recipients_parked on carillon.recipients (campaign_id) where state = 'parked';
create index recipients_rejected on carillon.recipients (campaign_id, row, id) where state = 'rejected';
create index recipients_order on carillon.recipients (campaign_id, row, id);
-- People who moved lately, in any campaign. A moved row enters all of these indexes; this one grows at its end
-- only.
create index recipients_moved on carillon.recipients (updated_at, id);
-- Rows that the rules hold: those held by an older version are judged again.
create index recipients_held on carillon.recipients (held_under) where held_under is not null;

-- The numbers of people who have several, in the order in which they are tried. The person's own row has the number that is
-- called next, or was called last. People with one number have no row here, and pay nothing for those who have.
create table carillon.phones (
  recipient_id bigint not null,
  nth smallint not null,
  campaign_id uuid not null,
  -- Empty where the list's cell is no phone.
  phone text not null,
  place text not null,
  -- Why it is not called: it is no phone, or another person's; or the service refused it.
  passed text,
  primary key (recipient_id, nth)
);
create index phones_phone on carillon.phones (phone, campaign_id);
create index phones_campaign on carillon.phones (campaign_id);

-- The parts by which people are found: the digits of the phone and the name, folded. Kept apart from the people, whose rows
-- move several times a call: these do not. Its trigram index is made beside, as the database must allow the extension.
create table carillon.people_words (
  recipient_id bigint primary key,
  words text not null
);

-- Rows whose words are still to be taken in, from one id to another: those of a long list.
create table carillon.people_words_fill (first bigint not null, last bigint not null);

-- One try at a recipient while it is not over: the unit of work and truth. No index covers a column that changes on the
-- way, so that a move writes no index.
create table carillon.attempts (
  id uuid primary key default gen_random_uuid(),
  campaign_id uuid not null,
  -- At most one live attempt a recipient: a second guard behind the compare-and-set.
  recipient_id bigint not null unique,
  lane_id integer not null,
  phone text not null,
  -- All numbers of a person who has several: while the attempt is live, nobody is called on any of them.
  keeps text[],
  number integer not null check (number > 0),
  caller jsonb,
  -- The agent that was asked for when it was last opened.
  agent text,
  state text not null default 'planned' check (
    state in ('planned', 'parked', 'dialing', 'placed', 'unknown')),
  -- Why it is unknown, in one word; detail holds the service's own words.
  reason text,
  detail text,
  -- The process that opened it, and how often a create left for it (a 429 leaves the attempt as it was).
  dialer text,
  -- Unique to each admission: only its holder may say that nothing was sent. A dialer that got no reply from the ledger
  -- repeats itself, perhaps when the attempt was opened again and another request is in flight. If that took the
  -- attempt back, it would be dialled twice.
  ticket uuid,
  -- The file in which that process notes a create before it sends it (dispatch/journal.ts); null where it keeps none.
  journal uuid,
  requests integer not null default 0,
  -- How often it was opened: anyone who loaded it before the last opening may not open it again.
  opens integer not null default 0,
  -- The opening that was counted as a loss of its lane.
  counted integer not null default 0,
  -- Of the contact rules under which it was opened.
  policy_version integer,
  planned_at timestamptz not null default now(),
  dialing_at timestamptz,
  -- Until when its request may be answered, by the ledger's clock and the timeout of the process that opened it; and
  -- until when an unresolved attempt keeps its phone. Processes with other settings judge it only by these.
  expires_at timestamptz,
  phone_until timestamptz,
  placed_at timestamptz,
  call_id text,
  provider_call_sid text,
  -- The address at which the service lets the call be ended, where its create told one.
  handle text,
  status text,
  polls integer not null default 0,
  next_poll_at timestamptz,
  -- When a hint last moved its next poll.
  hinted_at timestamptz,
  deadline_at timestamptz,
  -- Of one in doubt: how often the service's list of calls was asked for it, when last and when next, and what it showed:
  -- {calls, why}.
  looks smallint not null default 0,
  looked_at timestamptz,
  look_at timestamptz,
  looked jsonb,
  -- Where the service promises that one idempotency key makes one call: the create as it was sent, until when it may be
  -- sent again, and when that was last done. What was sent is forgotten once the attempt has its answer.
  sent text,
  repeat_until timestamptz,
  repeated_at timestamptz,
  -- After lost history: {attempt, at, opens, keeps_phone_ms} of the person's next attempt, which was perhaps sent in the
  -- part that is gone; and {shares} where others are unknown on the same phone.
  followed_by jsonb,
  check (state <> 'placed' or (call_id is not null and placed_at is not null)),
  check (state not in ('dialing', 'placed', 'unknown') or dialing_at is not null),
  check (state not in ('dialing', 'unknown') or (expires_at is not null and phone_until is not null)),
  check ((sent is null) = (repeat_until is null))
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
create index attempts_campaign on carillon.attempts (campaign_id);
create index attempts_lane on carillon.attempts (lane_id);
create index attempts_phone on carillon.attempts (phone);
create index attempts_caller on carillon.attempts ((coalesce(caller ->> 'number', caller ->> 'numberId')))
  where caller is not null;

-- Attempts that are over, as they ended. `was` is the state that they left: only the moves in the drawing exist.
create table carillon.ended_attempts (
  id uuid not null,
  recipient_id bigint not null,
  campaign_id uuid not null,
  lane_id integer not null,
  number integer not null,
  requests integer not null,
  polls integer not null,
  policy_version integer,
  planned_at timestamptz not null,
  dialing_at timestamptz,
  placed_at timestamptz,
  ended_at timestamptz not null default clock_timestamp(),
  -- Until when it kept its phone, if that was before its end: it was unknown for longer than it may hold.
  phone_until timestamptz,
  call_started_at timestamptz,
  call_ended_at timestamptz,
  -- Costs and lengths that no call can have would break every sum.
  duration double precision constraint ended_duration check (duration = 0 or duration between 1e-9 and 604800),
  cost double precision constraint ended_cost check (cost = 0 or cost between 1e-9 and 100000),
  -- Of the cost; null where the service does not tell it.
  currency text,
  phone text not null,
  state text not null check (state in ('done', 'refused', 'dropped')),
  was text not null,
  outcome text check (
    outcome in ('answered', 'voicemail', 'no-answer', 'busy', 'failed', 'canceled', 'dropped')),
  reason text,
  detail text,
  caller jsonb,
  agent text,
  call_id text,
  provider_call_sid text,
  status text,
  -- The service's own word for why the call ended.
  ended_reason text,
  direction text,
  contact_id text,
  recording_url text,
  transcript text,
  structured_data jsonb,
  metadata jsonb,
  -- The fields of the service's record that have no column here.
  record jsonb,
  -- The hour of the week that the person's clock showed when the call was placed, from Monday 00:00: 0 to 167.
  local_hour smallint check (local_hour between 0 and 167),
  check ((was, state) in (
    ('planned', 'dropped'), ('parked', 'dropped'),
    ('dialing', 'refused'), ('dialing', 'dropped'),
    -- Its record says that nobody was dialled: there was no room, or no credit.
    ('placed', 'done'), ('placed', 'dropped'),
    ('unknown', 'done'), ('unknown', 'refused'), ('unknown', 'dropped')))
) partition by range (ended_at);
create table carillon.ended_attempts_all partition of carillon.ended_attempts default;
create index ended_recipient on carillon.ended_attempts (recipient_id);
create index ended_campaign on carillon.ended_attempts (campaign_id, recipient_id);
create index ended_id on carillon.ended_attempts using hash (id);
create index ended_call on carillon.ended_attempts using hash (call_id);

-- The judgement of a call by a person who listened. It outlives the call's words; `note` is about the person, and erased
-- with them.
create table carillon.judgements (
  attempt_id uuid primary key,
  recipient_id bigint not null,
  campaign_id uuid not null,
  -- The first call to someone whom the campaign called before it paused: these are counted.
  is_first boolean not null,
  judgement text not null check (judgement in ('fine', 'wrong', 'opt-out')),
  note text,
  by text not null,
  at timestamptz not null default now()
);
create index judgements_recipient on carillon.judgements (recipient_id);

-- Calls that are over and whose record was not complete: when each is asked for again, how often it was, and for what.
-- Apart from the attempts, so that no large row is written again to keep a time.
create table carillon.refreshes (
  attempt_id uuid primary key,
  lane_id integer not null,
  due_at timestamptz not null,
  tries smallint not null default 0,
  fields text[] not null
) with (fillfactor = 60);
create index refreshes_due on carillon.refreshes (lane_id, due_at);

-- The fields that a service has been seen to add to a record after the call's end: how often a field came late, and
-- how often it never came though it was asked for.
create table carillon.late_fields (
  lane_id integer not null references carillon.lanes,
  outcome text not null,
  field text not null,
  late integer not null,
  vain integer not null,
  primary key (lane_id, outcome, field)
);

-- How long calls last, as the polls of all processes saw it: what was counted of each agent's calls by age, a day at a
-- time. `form` says which ages the counts are of; `next` is the other status, where the counts are of moves to it.
create table carillon.age_counts (
  lane_id integer not null references carillon.lanes,
  agent text not null,
  day date not null,
  form smallint not null,
  kind text not null check (kind in ('watched', 'ended', 'moved')),
  status text not null,
  next text not null check ((next <> '') <= (kind = 'moved')),
  counts real[] not null,
  primary key (lane_id, agent, day, form, kind, status, next)
) with (fillfactor = 50);
create index age_counts_day on carillon.age_counts (day);

-- Which attempt a phone is live with: one at most, over all campaigns and single calls. It is taken in the transaction
-- of the intent, and released when the attempt is surely not sent, over, or unknown for longer than it holds.
create table carillon.live_phones (
  phone text primary key,
  attempt_id uuid not null
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

-- The contact rules, each version as it was set; the newest is in force. The columns next to the body are what SQL judges
-- by: null where the body has no such rule.
create table carillon.policies (
  version integer primary key check (version > 0),
  digest text not null,
  source text not null check (source in ('file', 'api')),
  body jsonb not null,
  -- Whether it has any rule.
  binding boolean not null,
  -- [{calls, seconds}]
  caps jsonb,
  gap double precision,
  conversation double precision,
  made_at timestamptz not null default clock_timestamp()
);

-- Named tokens of the API. Only the digest of a token is here; one that is revoked is gone.
create table carillon.tokens (
  id uuid primary key default gen_random_uuid(),
  -- It says what the token is for; the person is behind it.
  name text not null unique,
  person text,
  -- SHA-256 of the token, which has 256 random bits: nothing slower is needed.
  digest bytea not null unique,
  role text not null check (role in ('read', 'read_people', 'operate', 'admin')),
  made_by text not null,
  made_at timestamptz not null default now(),
  ends_at timestamptz,
  -- To about a minute.
  used_at timestamptz
);

-- The record of who changed what, from where, when, and what it was before and after. It only grows: a trigger refuses
-- the rest. Phones are masked, and no person is named.
create table carillon.activity (
  id bigint generated always as identity,
  at timestamptz not null default clock_timestamp(),
  who text not null,
  -- Of a named token: a name may be given again when its token was revoked.
  token_id uuid,
  -- Behind the token.
  person text,
  role text not null check (role in ('read', 'read_people', 'operate', 'admin')),
  address text,
  verb text not null,
  subject text,
  campaign_id uuid,
  before jsonb,
  after jsonb
) partition by range (at);
create table carillon.activity_all partition of carillon.activity default;
create index activity_at on carillon.activity (at, id);
create index activity_who on carillon.activity (who, at, id);
create index activity_verb on carillon.activity (verb, at, id);
create index activity_subject on carillon.activity (subject, at, id) where subject is not null;
create index activity_campaign on carillon.activity (campaign_id, at, id) where campaign_id is not null;

-- Filters of people with a name, for every campaign.
create table carillon.views (
  name text primary key,
  filter jsonb not null,
  made_by text not null,
  made_at timestamptz not null default now()
);

-- Attempts that are over and may have rung, by phone, with their intent and their end: the contact rules judge caps,
-- gaps and pauses by them and by the live attempts. Rows that are older than every rule are removed.
create table carillon.phone_calls (
  phone text not null,
  at timestamptz not null,
  ended_at timestamptz not null,
  answered boolean not null,
  attempt_id uuid not null,
  caller text
);
create index phone_calls_phone on carillon.phone_calls (phone, ended_at);
create index phone_calls_caller on carillon.phone_calls (caller, at) where caller is not null;
-- Rows come in the order of their ends: the blocks' ranges find the old ones, and a call writes nothing for it.
create index phone_calls_age on carillon.phone_calls using brin (ended_at) with (pages_per_range = 32, autosummarize = on);

-- Each campaign's counts, and what was added since: writers only insert, one loop folds, and readers add the two.
create table carillon.tallies (
  campaign_id uuid not null,
  name text not null,
  n double precision not null,
  primary key (campaign_id, name)
);
create table carillon.tally_deltas (
  campaign_id uuid not null,
  name text not null,
  n double precision not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_threshold = -1);

-- The figures that reports show of ended calls, by one part of the call at a time: the person's hour of the week, the
-- caller number, the agent, the attempt's number. Kept like the tallies: deltas are inserted, and folded.
create table carillon.report_tallies (
  campaign_id uuid not null,
  part text not null check (part in ('hour', 'day', 'caller', 'agent', 'attempt')),
  -- Empty where it is not known.
  value text not null,
  outcome text not null,
  calls double precision not null,
  cost double precision not null,
  -- Of how many the cost is known; the same for the duration that the service tells.
  costed double precision not null,
  seconds double precision not null,
  timed double precision not null,
  -- From the create to the settlement by our clock, of calls that were followed to their end, and how many these are.
  busy double precision not null,
  followed double precision not null,
  primary key (campaign_id, part, value, outcome)
);
-- A delta holds all parts of calls that are equal in them; they are told apart when it is folded.
create table carillon.report_deltas (
  campaign_id uuid not null,
  local_hour smallint,
  local_day date,
  caller text not null,
  agent text not null,
  number integer not null,
  outcome text not null,
  calls double precision not null,
  cost double precision not null,
  costed double precision not null,
  seconds double precision not null,
  timed double precision not null,
  busy double precision not null,
  followed double precision not null,
  -- For carillon.costs, so that a settlement inserts one row for both; the day as there.
  lane_id integer,
  day date,
  currency text not null default '',
  told double precision not null default 0,
  talked double precision not null default 0,
  dearest double precision not null default 0,
  untold double precision not null default 0
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_threshold = -1);

-- What calls cost, by the UTC day on which they were dialled, campaign, agent and currency: budgets are judged by it, and
-- so is what the next call is likely to cost. Kept like the tallies, by the deltas of reports.
create table carillon.costs (
  base_url text not null,
  day date not null,
  campaign_id uuid not null,
  agent text not null,
  -- Empty where the service does not tell it.
  currency text not null,
  -- Calls whose cost is known, and how many of them somebody or a mailbox answered.
  told double precision not null,
  talked double precision not null,
  cost double precision not null,
  -- What the dearest call has cost: a call under way may cost as much, and a budget holds that back.
  dearest double precision not null default 0,
  -- Calls that must have cost something, and of which no cost is known.
  untold double precision not null,
  primary key (base_url, day, campaign_id, agent, currency)
) with (fillfactor = 80);
create index costs_campaign on carillon.costs (campaign_id);
create index costs_agent on carillon.costs (base_url, agent, day);

-- VOICE_MAX_COST of each process that dials a service, as it last said: the lowest of those that live holds for all.
create table carillon.budgets (
  base_url text not null,
  process text not null,
  day double precision check (day > 0),
  month double precision check (month > 0),
  seen_at timestamptz not null default clock_timestamp(),
  primary key (base_url, process)
) with (fillfactor = 50);

-- How many more calls a run may open: its --limit. Apart from its campaign, whose row other verbs change, so that the fence
-- and what gives a call back wait for nothing else. since: when the run took the campaign, as only calls that were opened
-- after that are given back.
create table carillon.run_limits (
  campaign_id uuid primary key references carillon.campaigns on delete cascade,
  calls_left integer not null check (calls_left >= 0),
  since timestamptz not null
) with (fillfactor = 50);

-- The course of each campaign, by the minute and by the hour: the loop that folds the tallies adds what was new since its
-- last round, so that nothing is written where calls are made. Minutes are kept for a month, hours for ever.
create table carillon.campaign_series (
  campaign_id uuid not null,
  -- Seconds.
  step integer not null check (step in (60, 3600)),
  at timestamptz not null,
  -- Calls that began, that ended, and how they ended.
  begun double precision not null default 0,
  calls double precision not null default 0,
  answered double precision not null default 0,
  voicemail double precision not null default 0,
  no_answer double precision not null default 0,
  busy double precision not null default 0,
  failed double precision not null default 0,
  canceled double precision not null default 0,
  dropped double precision not null default 0,
  cost double precision not null default 0,
  -- Of how many the cost was told.
  costed double precision not null default 0,
  creates double precision not null default 0,
  polls double precision not null default 0,
  -- Answers with 429; and from the ends of calls to their settlements, in seconds. Processes keep these for a moment, and
  -- lose them when they die.
  refused double precision not null default 0,
  lags double precision not null default 0,
  lag_sum double precision not null default 0,
  lag_max double precision not null default 0,
  primary key (campaign_id, step, at)
) with (fillfactor = 80);
create index campaign_series_old on carillon.campaign_series (at) where step = 60;
-- What all campaigns did by hour, read by time: the primary key begins with the campaign.
create index campaign_series_hours on carillon.campaign_series (at) where step = 3600;
-- How far the series has counted each campaign.
create table carillon.campaign_marks (
  campaign_id uuid primary key,
  -- Its live attempts at that time.
  live integer not null,
  begun double precision not null,
  calls double precision not null,
  answered double precision not null,
  voicemail double precision not null,
  no_answer double precision not null,
  busy double precision not null,
  failed double precision not null,
  canceled double precision not null,
  dropped double precision not null default 0,
  cost double precision not null,
  costed double precision not null,
  creates double precision not null,
  polls double precision not null
) with (fillfactor = 50);
create index campaign_marks_live on carillon.campaign_marks (campaign_id) where live > 0;

-- The course of each lane, by ten seconds for some hours and by the minute for two weeks: written by the processes that
-- use it, while it works.
create table carillon.lane_series (
  lane_id integer not null references carillon.lanes,
  -- Seconds.
  step integer not null check (step in (10, 60)),
  at timestamptz not null,
  state text not null,
  rate double precision not null,
  -- The believed limit, how sure it is, and the believed limit of calls at once.
  believed double precision,
  sure double precision not null,
  cap integer,
  probing boolean not null,
  -- The most calls at once.
  calls integer not null,
  creates integer not null,
  polls integer not null,
  updates integer not null,
  numbers integer not null,
  -- Answers with 429, by what they were taken for.
  refused_rate integer not null,
  refused_creates integer not null,
  refused_calls integer not null,
  cost double precision not null default 0,
  primary key (lane_id, step, at)
) with (fillfactor = 80);

-- How many people of a campaign wait, by what decides until when: their place, the time of the next attempt in steps of
-- five minutes ('-infinity' for none), how many attempts there were, and the rule that holds them. Kept like the tallies.
create table carillon.waiting_tallies (
  campaign_id uuid not null,
  place text not null,
  due timestamptz not null,
  attempts integer not null,
  held text not null,
  n double precision not null,
  primary key (campaign_id, place, due, attempts, held)
);
create index waiting_gone on carillon.waiting_tallies (campaign_id) where n = 0;
create table carillon.waiting_deltas (like carillon.waiting_tallies)
with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_threshold = -1);

-- How the latest calls ended, of campaigns that stop when too many fail. Rows are removed when they are too old to count.
create table carillon.recent_ends (
  campaign_id uuid not null,
  at timestamptz not null default clock_timestamp(),
  failed boolean not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
create index recent_ends_campaign on carillon.recent_ends (campaign_id, at);

-- The turns of a lane's campaigns: start-time fair queueing, kept here so that any number of processes share as one.
create table carillon.shares (
  lane_id integer not null references carillon.lanes,
  campaign_id uuid not null references carillon.campaigns on delete cascade,
  -- Attempts planned, divided by the weight: the campaign that has the least is next.
  turn double precision not null,
  -- The same without those that still wait in its queue.
  level double precision not null,
  -- Whether it would take more, as its planner last reported, and when: a planner that died delays nobody.
  wants boolean not null,
  seen_at timestamptz not null,
  -- When its queue last had headroom: a queue that is stuck delays nobody either.
  free_at timestamptz not null,
  primary key (lane_id, campaign_id)
) with (fillfactor = 50);

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

-- The places of a campaign's recipients, so that the planner need not read many rows for them.
create table carillon.campaign_places (
  campaign_id uuid not null references carillon.campaigns,
  place text not null,
  primary key (campaign_id, place)
);

-- Rows that imports refused: those of the latest file of a run, or of all that was sent to be added.
create table carillon.rejects (
  id bigint generated always as identity primary key,
  campaign_id uuid not null references carillon.campaigns,
  row integer not null,
  reason text not null,
  input jsonb not null default '{}'
);
create index rejects_campaign on carillon.rejects (campaign_id, row, id);
-- Those that still hold what was given.
create index rejects_given on carillon.rejects (campaign_id) where input <> '{}';

-- Requests to the service and their answers, without keys: kept for a while, to look for faults. Nothing depends on them, so
-- they are not in the server's log of changes.
create unlogged table carillon.exchanges (
  id bigint generated always as identity primary key,
  attempt_id uuid not null,
  at timestamptz not null,
  told jsonb not null
);
create index exchanges_attempt on carillon.exchanges using hash (attempt_id);

-- People who must not be called: by nobody, or not by one campaign; for ever, or until a time.
create table carillon.suppressions (
  phone text not null,
  -- Null is every campaign and single call.
  campaign_id uuid references carillon.campaigns on delete cascade,
  scope uuid generated always as (coalesce(campaign_id, '00000000-0000-0000-0000-000000000000'::uuid)) stored,
  source text not null default 'manual' check (source in ('manual', 'import', 'opt-out', 'api')),
  reason text,
  until timestamptz,
  created_at timestamptz not null default now(),
  primary key (phone, scope)
);
create index suppressions_campaign on carillon.suppressions (campaign_id) where campaign_id is not null;

-- People who were erased, by a keyed hash of the phone: nobody can read the phone from it, and an import knows the person
-- again. `hash` begins with a mark of the secret that keys it, as src/base/seal.ts writes it.
create table carillon.erasures (
  hash text collate "C" primary key,
  at timestamptz not null default now(),
  -- The phone, sealed, while something is left to erase: a call that lives, or a transaction that began before and may
  -- bring the person in. Null when all is erased.
  sealed text,
  -- The transaction that erased.
  xid xid8 not null default pg_current_xact_id(),
  -- Of another number of a person: the hash of the one that was named, with which it is lifted.
  along text collate "C"
);
create index erasures_open on carillon.erasures (at) where sealed is not null;

-- Up to which row, in the order of their last moves, what is older than CARILLON_KEEP_DAYS was erased.
create table carillon.keep_marks (
  one boolean primary key default true check (one),
  at timestamptz not null default '-infinity',
  id bigint not null default 0,
  -- For how many days what is known of people is kept; null is for ever. CARILLON_KEEP_DAYS goes before it.
  days integer check (days between 1 and 36500)
) with (fillfactor = 50);
insert into carillon.keep_marks default values;

-- Calls that are to be hung up, and what came of it. Apart from the attempts, so that it can be told when they are over.
create table carillon.hang_ups (
  attempt_id uuid primary key,
  asked_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  tries integer not null default 0,
  -- Null while the service was not reached, or the call does not exist yet.
  outcome text check (outcome in ('hung-up', 'ended', 'refused', 'no-call')),
  detail text
);
create index hang_ups_due on carillon.hang_ups (due_at) where outcome is null;

-- The history of a recipient beyond what its attempts show (when they were planned, dialled, placed and ended).
-- Append-only.
create table carillon.history (
  recipient_id bigint not null,
  at timestamptz not null default clock_timestamp(),
  attempt_id uuid,
  kind text not null,
  detail text
) partition by range (at);
create table carillon.history_all partition of carillon.history default;
create index history_recipient on carillon.history (recipient_id, at);

-- The outbox: what other systems are to learn, written in the transactions that move things. One row tells of everything
-- that one statement did of a kind, by its ids; what is sent is built from the ledger at delivery, so that an erased
-- person is erased there too. Its ids say nothing about what is committed: a lower one may commit later. One process at
-- a time moves what is committed to carillon.events, and numbers it: see carillon.number_events.
create table carillon.outbox (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  type text not null,
  campaign_id uuid,
  -- Of events about people and attempts: one event each. The attempts are those of the people in the same places.
  recipients bigint[],
  attempts uuid[],
  -- Of other events: what it is about, such as a lane; and what is kept nowhere else.
  subject text,
  data jsonb,
  check (attempts is null or cardinality(attempts) = cardinality(recipients))
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

-- The same with its numbers: the events of a row are first to last, without a gap to the row before. Readers read in
-- this order, and continue after a number. Rows are kept for a time, and removed in their order.
create table carillon.events (
  first bigint not null,
  last bigint not null,
  numbered_at timestamptz not null,
  at timestamptz not null,
  type text not null,
  campaign_id uuid,
  recipients bigint[],
  attempts uuid[],
  subject text,
  data jsonb,
  -- A statement that reads some numbers looks at most so far beyond them.
  check (last - first between 0 and 999)
) partition by range (numbered_at);
create table carillon.events_all partition of carillon.events default;
create index events_order on carillon.events (last);

-- How far the events are numbered, and up to which number they were removed.
create table carillon.event_marks (
  one boolean primary key default true check (one),
  last bigint not null default 0,
  gone bigint not null default 0
) with (fillfactor = 50);
insert into carillon.event_marks default values;

-- Work of any process, after its request was answered: lists that were sent to be added, and acts on everyone whom a filter
-- found. An act is done a piece at a time, and its counts move in the transaction of each piece; a list is added whole.
create table carillon.works (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('import', 'retry', 'skip', 'suppress', 'resolve', 'export')),
  -- The service of an act, and the campaign of a list.
  base_url text check ((base_url is null) = (kind = 'import')),
  campaign_id uuid references carillon.campaigns on delete cascade check ((campaign_id is null) = (kind <> 'import')),
  -- The filter of an act as it was asked for, and as carillon.matching reads it.
  asked jsonb,
  filter jsonb,
  -- The rest of the request.
  options jsonb not null,
  format text check (format in ('csv', 'json', 'ndjson', 'xlsx')),
  state text not null check (state in ('waiting', 'running', 'stopped', 'done', 'failed')),
  -- Of a failed one: the error's code and its words.
  code text,
  reason text,
  since timestamptz not null default now(),
  -- The people of an act, or the bytes of a list; and how many of them were seen.
  size bigint not null,
  seen bigint not null default 0,
  -- For how many people it was done, and how many were passed over, by the reason.
  done integer not null default 0,
  passed jsonb not null default '{}',
  -- The record of an act in the activity, to which its end adds what was done.
  told jsonb,
  -- The next piece of an act.
  piece integer not null default 0,
  -- Of a list; and its first rejects, with their place in the body.
  rows_read integer not null default 0,
  rejects jsonb not null default '[]',
  created_at timestamptz not null default now(),
  ended_at timestamptz
);
create index works_open on carillon.works (created_at) where state in ('waiting', 'running');
create index works_order on carillon.works (created_at, id);
create index works_campaign on carillon.works (campaign_id) where campaign_id is not null;

-- The contents of a work. Of an act the people, as they were found when it began: the number that was confirmed is the number
-- of these. A piece is removed when it is done; those of an export are kept for a time. Of a list its body, so that any
-- process can read it; gone with its end.
create table carillon.work_pieces (
  work_id uuid not null references carillon.works on delete cascade,
  n integer not null,
  people bigint[],
  data bytea check ((data is null) = (people is not null)),
  primary key (work_id, n)
);
-- Compressing a list would cost more than the disk that it saves for a moment.
alter table carillon.work_pieces alter column data set storage external;

-- Alerts: things that need a person, as the processes see them: an alert that is seen for long enough is raised, and one
-- that no process has seen for a while is removed. subject: a key, a process, a machine; after, unseen: seconds.
create table carillon.alerts (
  code text not null,
  subject text not null,
  severity text not null check (severity in ('critical', 'warning')),
  title text not null,
  message text not null,
  remedy text not null,
  after double precision not null,
  unseen double precision not null,
  first_at timestamptz not null,
  seen_at timestamptz not null,
  raised_at timestamptz,
  primary key (code, subject)
) with (fillfactor = 50);

-- Where people are told of alerts, and when an address may be sent its next message. A monitor is an address too: it is
-- told of no alert, but asked each minute while dialling works.
create table carillon.alert_addresses (
  id uuid primary key,
  kind text not null check (kind in ('slack', 'email', 'url', 'monitor')),
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

-- Addresses that are told what happens. The delivered part is a place in the order of the events, and not a row for each
-- event: everything up to `cursor` was delivered, was not wanted, or is among the events that are held back.
create table carillon.webhooks (
  id uuid primary key,
  url text not null,
  -- Sealed with CARILLON_SECRET: see src/base/seal.ts.
  secret text not null,
  -- Null is all.
  events text[],
  -- A failing address is asked with one event at growing intervals; one that rests waits for a person.
  state text not null default 'active' check (state in ('active', 'failing', 'resting')),
  reason text,
  since timestamptz not null default now(),
  tries integer not null default 0,
  next_at timestamptz,
  cursor bigint not null,
  -- Grows when a person moves the cursor: what a process knew before does not count any more.
  revision integer not null default 0,
  delivered bigint not null default 0,
  failed bigint not null default 0,
  -- The process that delivers to it, and until when, unless it says so again.
  claimant text,
  claimed_until timestamptz,
  created_at timestamptz not null default now()
) with (fillfactor = 50);

-- Events that an address did not take while it took others, and the later ones about the same person or thing, which wait
-- for them. How often it was tried is known of the first of them.
create table carillon.webhook_blocked (
  webhook_id uuid not null references carillon.webhooks on delete cascade,
  number bigint not null,
  -- The person or thing that it is about.
  line text not null,
  tries integer not null,
  since timestamptz,
  next_at timestamptz,
  primary key (webhook_id, number)
) with (fillfactor = 60);

-- The latest deliveries of an address, and apart from them the latest failures: slots that are written in turn.
create table carillon.webhook_deliveries (
  webhook_id uuid not null references carillon.webhooks on delete cascade,
  delivered boolean not null,
  slot smallint not null,
  n bigint not null,
  at timestamptz not null,
  event text not null,
  type text not null,
  try integer not null,
  status integer,
  ms integer not null,
  error text,
  primary key (webhook_id, delivered, slot)
) with (fillfactor = 60);

-- The results of requests with an Idempotency-Key, for those that come again. Each is written in the transaction that
-- made it: a request that is not here made nothing.
create table carillon.idempotent_requests (
  -- A digest of the key, of who sent it and of the operation: no key is kept as it was sent.
  ref text collate "C" primary key,
  -- A digest of what was asked for.
  asked text not null,
  -- Ids and counts, from which the answer is made again; no person, and no secret that is not sealed.
  made jsonb not null,
  -- Null is never.
  ends_at timestamptz
);
create index idempotent_requests_ends on carillon.idempotent_requests (ends_at) where ends_at is not null;

-- The processes that work on this ledger, as each last said. One that stops says so; one that dies stays for a day.
create table carillon.processes (
  -- As on the attempts that it dials.
  id text primary key,
  host text not null,
  pid integer not null,
  version text not null,
  node text not null,
  -- Its tasks: api, run, or its workers by name.
  parts text[] not null,
  queue text not null,
  base_url text not null,
  -- By the name of the key: {digest, rate}.
  keys jsonb not null,
  -- The mark of its CARILLON_SECRET, as src/base/seal.ts makes it; null while it has needed none.
  secret text,
  -- [{name, age_ms, stuck}]
  loops jsonb not null,
  clock_ahead_ms double precision not null,
  -- Why it must not dial; null when it may.
  trouble text,
  memory bigint not null,
  started_at timestamptz not null,
  seen_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);

-- The witnesses of processes are compared with these: which server this ledger is on, how many beats it has, and whether its
-- history is whole. See carillon.attest.
create table carillon.witnessed (
  one boolean primary key default true check (one),
  -- The same in every copy of this ledger.
  ledger uuid not null default gen_random_uuid(),
  -- The server as it was last seen: its system identifier and timeline, null where they cannot be read; where on it this
  -- ledger is; and that with the server's start. All are null until a process has looked.
  system text,
  timeline integer,
  home text,
  place text,
  -- The stretch since the server was last vouched for, and how often a process that dials was heard in it.
  epoch uuid not null default gen_random_uuid(),
  beat bigint not null default 0,
  beat_at timestamptz not null default clock_timestamp(),
  -- When a person last confirmed a loss, in microseconds: what was witnessed before that does not count any more.
  era bigint not null default 0,
  -- History was lost, and nobody is called until a person confirms: since when that is known, why, and up to when the
  -- history is there.
  lost_at timestamptz,
  lost_why text check (lost_why in ('behind', 'intents', 'server', 'copy', 'timeline', 'restored')),
  known_until timestamptz,
  check ((lost_at is null) = (lost_why is null))
) with (fillfactor = 50);
insert into carillon.witnessed default values;

-- Phones that were called in a part of the history that is gone, of people whom this ledger does not have: one who comes in
-- with such a phone is unknown when they would be called, until a person settles it.
create table carillon.lost_calls (
  -- Its digest: see carillon.phone_digest.
  phone text primary key,
  -- As a process noted the create.
  attempt uuid not null,
  at timestamptz not null,
  opens integer not null,
  keeps_phone_ms double precision not null
);

-- The stretches that are over, with their last beat: a process that heard a later one knows more than this ledger.
create table carillon.epochs (
  epoch uuid primary key,
  beats bigint not null,
  ended_at timestamptz not null default clock_timestamp()
);
