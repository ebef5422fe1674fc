-- What one process sees: see carillon.watch_alerts. $1 [{code, subject, severity, title, message, remedy, after, hold}]
select carillon.watch_alerts($1::jsonb) as changed
