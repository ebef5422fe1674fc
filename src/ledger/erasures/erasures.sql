-- name: open
-- Erasures with something left to erase, oldest first. $1 how many
select e.hash, e.sealed from carillon.erasures e where e.sealed is not null order by e.at limit $1

-- name: among
-- Which of these hashes are of erased people. $1 hashes
select e.hash from unnest($1::text[]) as h(hash)
cross join lateral (select x.hash from carillon.erasures x where x.hash = h.hash offset 0) e

-- name: want
-- A phone that came in again after its erasure is to be erased again. $1 hash, $2 the phone, sealed
update carillon.erasures e set sealed = $2, xid = pg_current_xact_id() where e.hash = $1

-- name: mark
-- The mark of the secret that keys the hashes of erased phones; null when nobody was erased. One row
select (select split_part(e.hash, '.', 1) from carillon.erasures e limit 1) as mark

-- name: erase
-- Erases what can be erased now: see carillon.erase. $1 phone, $2 its hash, $3 the phone, sealed (null: as it was), $4 the
-- hash of the person's number that was named, if this is another (null: this one)
select people, campaigns, calls::text[] as calls, live, until from carillon.erase($1, $2, $3, $4)

-- name: own_numbers
-- The other numbers of the people who have a phone, as far as nobody else has them. $1 phone
select distinct k.phone from carillon.phones k
where k.recipient_id = any (array(select carillon.people_with($1))) and k.phone not in ('', $1)
  and not exists (
    select from carillon.people_with(k.phone) as o(id) where o.id <> all (array(select carillon.people_with($1))))

-- name: campaigns
-- How many people of how many campaigns have a phone. $1 phone
select count(*)::integer as people, count(distinct r.campaign_id)::integer as campaigns
from carillon.recipients r where r.id = any (array(select carillon.people_with($1)))

-- name: texts
-- Erases a phone from texts: see carillon.scrub_texts. $1 phone, $2 its digits as people write them
-- long
select carillon.scrub_texts($1, $2::text[])

-- name: finish
-- Whether nothing is left to erase: see carillon.finish_erasure. $1 phone, $2 hash
select carillon.finish_erasure($1, $2) as done

-- name: forget
-- Gives up whom the hashes of another secret mean. The rows stay erased. $1 the mark of ours
delete from carillon.erasures e where split_part(e.hash, '.', 1) <> $1

-- name: lift
-- Takes an erasure back: see carillon.lift_erasure. $1 phone, $2 hash
select carillon.lift_erasure($1, $2) as lifted

-- name: old
-- Erases what is older than its retention: see carillon.erase_old. $1 days, $2 how many people
select carillon.erase_old($1, $2) as more

-- name: due
-- How many people erase_old would still erase, up to a number. $1 days, $2 how many at most
select count(*)::integer as people from (
  select from carillon.keep_marks k
  join carillon.recipients r on (r.updated_at, r.id) > (k.at, k.id)
    and r.updated_at < now() - make_interval(secs => $1::double precision * 86400)
  where r.erased_at is null and r.state in ('done', 'skipped', 'rejected')
  limit $2
) p

-- name: keep
-- Sets for how many days what is known of people is kept. $1 days (null: for ever)
update carillon.keep_marks k set days = $1

-- name: kept
select k.days from carillon.keep_marks k

-- name: others
-- Counts what would be given up with a lost secret. $1 the mark of ours
select count(*)::integer as people, count(e.sealed)::integer as pending,
  count(s.phone)::integer as suppressed
from carillon.erasures e
left join lateral (select x.phone from carillon.suppressions x where x.phone = 'erased:' || e.hash limit 1) s on true
where split_part(e.hash, '.', 1) <> $1
