-- Since when a campaign is in its state. Of one that stands already, its last change is the best that is known.
alter table carillon.campaigns add column since timestamptz not null default now();
update carillon.campaigns set since = updated_at;
