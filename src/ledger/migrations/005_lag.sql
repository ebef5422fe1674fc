-- Up Migration
-- How many seconds of delay in a result one request is worth to the owner of the campaign; null leaves it to the lane.
alter table carillon.campaigns add column lag double precision check (lag > 0);
