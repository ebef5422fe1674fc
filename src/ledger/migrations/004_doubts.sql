-- Up Migration
-- A service that is ill: its lane creates no more, but for one probe at growing intervals.
alter table carillon.lanes drop constraint lanes_state_check;
alter table carillon.lanes add constraint lanes_state_check
  check (state in ('open', 'sick', 'broke', 'denied'));
-- Creates in a row that told nothing, or told that the service is ill.
alter table carillon.lanes add column losses integer not null default 0;

-- What the owner of a campaign wants done with an attempt of which nobody knows whether it called: hold it for a
-- person, or try the recipient again, once, at the risk of a second call.
alter table carillon.campaigns add column on_unknown text not null default 'hold'
  check (on_unknown in ('hold', 'redial'));
alter table carillon.recipients add column redials integer not null default 0 check (redials between 0 and 1);

-- The service of a call that a person named: two people who name one call for two attempts at once are told apart
-- here. Ids that the service gives are not fenced: one that it gives twice must be kept, and is shown by the audit.
alter table carillon.attempts add column named_at text;
create unique index attempts_named on carillon.attempts (named_at, call_id) where named_at is not null;
