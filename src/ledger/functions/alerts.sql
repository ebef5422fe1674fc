-- Takes the alerts that a process sees now. An alert is raised when it was seen for its time, and cleared when no
-- process has seen it for so long, so that a process that dies leaves none behind; both are told once, whichever
-- process is first. One process at a time. Returns how many were raised and cleared.
create function carillon.watch_alerts(seen jsonb) returns integer language plpgsql as $$
declare
  raised integer;
  cleared integer;
begin
  perform pg_advisory_xact_lock(hashtext('carillon alerts'));
  insert into carillon.alerts as a (code, subject, severity, title, message, remedy, after, unseen, first_at, seen_at)
  -- A process may see one thing twice: it is one alert.
  select distinct on (s.code, s.subject) s.code, s.subject, s.severity, s.title, s.message, s.remedy, s.after, s.unseen,
    clock_timestamp(), clock_timestamp()
  from jsonb_to_recordset(seen) as s(
    code text, subject text, severity text, title text, message text, remedy text, after double precision, unseen double precision)
  on conflict (code, subject) do update set severity = excluded.severity, title = excluded.title,
    message = excluded.message, remedy = excluded.remedy, after = excluded.after, unseen = excluded.unseen,
    seen_at = excluded.seen_at,
    -- After a gap this long the earlier alert counts as over: this is a new one.
    first_at = case when a.raised_at is null and a.seen_at < excluded.seen_at - make_interval(secs => excluded.unseen)
      then excluded.first_at else a.first_at end;
  with gone as (
    delete from carillon.alerts a where a.seen_at < clock_timestamp() - make_interval(secs => a.unseen) returning a.*
  ), told as (
    select carillon.tell_alert('alert.cleared', carillon.alert_of(g)) from gone g where g.raised_at is not null
  )
  select count(*) into cleared from told;
  with fresh as (
    update carillon.alerts a set raised_at = clock_timestamp()
    where a.raised_at is null and a.first_at <= clock_timestamp() - make_interval(secs => a.after) returning a.*
  ), told as (
    select carillon.tell_alert('alert.raised', carillon.alert_of(f)) from fresh f
  )
  select count(*) into raised from told;
  return raised + cleared;
end $$;

-- The alert as a GET shows it.
create function carillon.alert_of(a carillon.alerts) returns jsonb language sql immutable as
$$ select jsonb_build_object('code', a.code, 'subject', a.subject, 'severity', a.severity, 'title', a.title,
  'message', a.message, 'remedy', a.remedy, 'since', to_char(a.raised_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) $$;

-- Whether an address wants an alert. wanted: codes and severities, null is all
create function carillon.alert_wanted(wanted text[], code text, severity text) returns boolean language sql immutable as
$$ select wanted is null or code = any (wanted) or severity = any (wanted) $$;

-- When a notice may be sent. A critical alert that is raised is not held back, unless it comes and goes, or messages do
-- not arrive.
create function carillon.notice_due_at(a carillon.alert_addresses, n carillon.alert_notices) returns timestamptz
language sql stable as
$$ select case when a.next_at > now() and a.reason is null and n.type = 'alert.raised' and n.times = 1
  and n.alert ->> 'severity' = 'critical' then greatest(n.at, a.sent_at) else greatest(n.at, a.next_at) end $$;

-- Since when an address waits for a message that no process sends, because none runs or none can open the address; null
-- while one does. A message is due for seconds: some minutes tell a process that is only busy from one that is not there.
create function carillon.unsent_since(a carillon.alert_addresses) returns timestamptz language sql stable as
$$ select min(carillon.notice_due_at(a, n)) from carillon.alert_notices n
  where n.address_id = a.id and carillon.notice_due_at(a, n) < now() - interval '5 minutes' $$;

-- Tells of an alert: an event, a line of the activity, and word for each address that wants it. An address is not told of
-- itself. Until the word is sent only the latest counts.
create function carillon.tell_alert(of_type text, told jsonb) returns void language plpgsql as $$
begin
  perform carillon.emit(of_type, null, told ->> 'code', told);
  insert into carillon.activity (who, role, verb, subject, campaign_id, after)
  values ('carillon', 'admin', case of_type when 'alert.raised' then 'alert.raise' else 'alert.clear' end,
    nullif(told ->> 'subject', ''),
    case when told ->> 'code' in ('budget-near', 'campaign-stands') then
      (select c.id from carillon.campaigns c where c.id::text = told ->> 'subject') end,
    told - 'subject' - 'remedy');
  insert into carillon.alert_notices as n (address_id, code, subject, type, alert)
  select a.id, told ->> 'code', told ->> 'subject', of_type, told from carillon.alert_addresses a
  where carillon.alert_wanted(a.only_of, told ->> 'code', told ->> 'severity')
    and (told ->> 'code' <> 'alerts-unsent' or told ->> 'subject' <> a.id::text)
  on conflict (address_id, code, subject) do update
  set number = default, type = excluded.type, at = excluded.at, times = n.times + 1, alert = excluded.alert;
end $$;
