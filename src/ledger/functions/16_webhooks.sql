-- The number of the last event that was numbered before a time: a reader who continues after it sees all that happened from
-- then on and is still kept. Numbers and times grow together, so that it is found in a few looks.
create function carillon.number_before(since timestamptz) returns bigint language plpgsql stable
set enable_seqscan = off
as $$
declare
  low bigint;
  high bigint;
  middle bigint;
  at timestamptz;
begin
  select m.gone, m.last into low, high from carillon.event_marks m;
  while low < high loop
    middle := (low + high) / 2;
    select e.numbered_at into at from carillon.events e where e.last > middle order by e.last limit 1;
    if at >= since then high := middle; else low := middle + 1; end if;
  end loop;
  return low;
end $$;
