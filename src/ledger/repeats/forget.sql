-- Requests whose time is over
delete from carillon.repeats where ends_at < now()
