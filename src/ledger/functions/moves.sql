-- Only these moves of a live attempt exist; docs/reference/states.md draws the same picture,
-- and the ends are a CHECK of carillon.ended_attempts.
create function carillon.check_move() returns trigger language plpgsql as $$
begin
  if (old.state, new.state) not in (
    ('planned', 'dialing'), ('planned', 'parked'),
    ('parked', 'planned'),
    -- Possible only where the ledger lost its history, and with it the opening.
    ('planned', 'unknown'), ('parked', 'unknown'),
    ('dialing', 'placed'), ('dialing', 'planned'), ('dialing', 'parked'), ('dialing', 'unknown'),
    ('unknown', 'placed'),
    ('placed', 'unknown')
  ) then
    raise exception 'an attempt cannot move from % to %', old.state, new.state;
  end if;
  -- Only a create without a readable answer may be sent again: what was sent is kept for nothing else.
  if new.state <> 'unknown' or new.reason not in ('lost', 'accepted', 'crashed') then
    new.sent := null;
    new.repeat_until := null;
  end if;
  return new;
end $$;
create trigger attempts_move before update of state on carillon.attempts
  for each row when (old.state is distinct from new.state) execute function carillon.check_move();

-- The ledger itself records what an attempt's own columns cannot show, so that no verb can forget it: moves back, whose
-- times the next try overwrites, and moves to unknown, with the process that dialled.
create function carillon.note_moves() returns trigger language plpgsql as $$
begin
  insert into carillon.history (recipient_id, attempt_id, at, kind, detail)
  select new.recipient_id, new.id, old.dialing_at, 'dialing', case when new.state = 'unknown' then old.dialer end
  where old.state = 'dialing'
  union all
  select new.recipient_id, new.id, clock_timestamp(), new.state, coalesce(new.detail, new.reason);
  if old.state = 'dialing' and new.state <> 'unknown' then
    -- Nobody was called: the run may open another.
    update carillon.run_limits l set calls_left = l.calls_left + 1
    where l.campaign_id = new.campaign_id and l.since <= old.dialing_at;
  end if;
  return null;
end $$;
create trigger attempts_noted after update of state on carillon.attempts
  for each row when (old.state is distinct from new.state and new.state in ('planned', 'parked', 'unknown'))
  execute function carillon.note_moves();

-- Whether the statement that fires a trigger is one of carillon.scrub_people's own: nothing else may erase from
-- append-only tables.
create function carillon.is_erasing(stack text) returns boolean language sql immutable as
$$ select strpos(stack, 'carillon.scrub_people(') > 0 $$;

create function carillon.refuse_change() returns trigger language plpgsql as $$
declare
  stack text;
begin
  get diagnostics stack = pg_context;
  if carillon.is_erasing(stack) then return null; end if;
  raise exception 'the history is append-only';
end $$;
create trigger history_append_only before update or delete or truncate on carillon.history
  for each statement execute function carillon.refuse_change();
