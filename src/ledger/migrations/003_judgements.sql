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
