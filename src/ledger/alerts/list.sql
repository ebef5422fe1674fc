-- The alerts that are raised, the latest first.
select a.code, a.subject, a.severity, a.title, a.message, a.remedy, a.raised_at as since
from carillon.alerts a
where a.raised_at is not null
order by a.raised_at desc, a.code, a.subject
