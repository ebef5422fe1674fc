-- The name of the person behind a token and behind an act: a token's own name says what it is for.
alter table carillon.tokens add column person text;
alter table carillon.activity add column person text;

-- Filters of people with a name, for every campaign.
create table carillon.views (
  name text primary key,
  filter jsonb not null,
  made_by text not null,
  made_at timestamptz not null default now()
);
