-- Up Migration
-- The most attempts that a campaign ever allowed: an order that was changed to fewer must not make the calls of
-- before look like too many.
alter table carillon.campaigns add column most_attempts integer not null default 1;
update carillon.campaigns set most_attempts = max_attempts;
