-- What a request made, in the transaction that made it; one that ended gives its place. $1 reference, $2 a digest of what
-- was asked for, $3 what it made, $4 days to keep it (null: for ever)
insert into carillon.repeats (ref, asked, made, ends_at) values ($1, $2, $3::jsonb, now() + $4::integer * interval '1 day')
on conflict (ref) do update set asked = excluded.asked, made = excluded.made, ends_at = excluded.ends_at
