-- Adds what a process saw of campaigns and the ledger does not count: answers with 429, and how late results were known.
-- $1 [{id, refused, lags, lagSum, lagMax}]
insert into carillon.campaign_series as t (campaign_id, step, at, refused, lags, lag_sum, lag_max)
select c.id, s.step, carillon.step_of(clock_timestamp(), s.step), x.refused, x.lags, x."lagSum", x."lagMax"
from jsonb_to_recordset($1::jsonb) as x(id uuid, refused double precision, lags double precision,
  "lagSum" double precision, "lagMax" double precision)
cross join (values (60), (3600)) as s(step)
join carillon.campaigns c on c.id = x.id and c.deleted_at is null
order by c.id, s.step
on conflict (campaign_id, step, at) do update set refused = t.refused + excluded.refused, lags = t.lags + excluded.lags,
  lag_sum = t.lag_sum + excluded.lag_sum, lag_max = greatest(t.lag_max, excluded.lag_max)
