-- name: open
-- Erasures with something left to erase, oldest first. @most: how many
select e.hash, e.sealed from carillon.erasures e where e.sealed is not null order by e.at limit @most

-- name: among
-- Which of these hashes are of erased people.
select e.hash from unnest(@hashes::text[]) as h(hash)
cross join lateral (select x.hash from carillon.erasures x where x.hash = h.hash offset 0) e

-- name: want
-- A phone that came in again after its erasure is to be erased again. @sealed: the phone, sealed
update carillon.erasures e set sealed = @sealed, xid = pg_current_xact_id() where e.hash = @hash

-- name: mark
-- The mark of the secret that keys the hashes of erased phones; null when nobody was erased. One row
select (select split_part(e.hash, '.', 1) from carillon.erasures e limit 1) as mark

-- name: erase
-- Erases what can be erased now: see carillon.erase. @key: its hash; @sealed: the phone, sealed (null: as it was); @named:
-- the hash of the person's number that was named, if this is another (null: this one)
select people, campaigns, calls::text[] as calls, live, until from carillon.erase(@phone, @key, @sealed, @named)

-- name: own_numbers
-- The other numbers of the people who have a phone, as far as nobody else has them.
select distinct k.phone from carillon.phones k
where k.recipient_id = any (array(select carillon.people_with(@phone))) and k.phone not in ('', @phone)
  and not exists (
    select from carillon.people_with(k.phone) as o(id) where o.id <> all (array(select carillon.people_with(@phone))))

-- name: campaigns
-- How many people of how many campaigns have a phone.
select count(*)::integer as people, count(distinct r.campaign_id)::integer as campaigns
from carillon.recipients r where r.id = any (array(select carillon.people_with(@phone)))

-- name: texts
-- Erases a phone from texts: see carillon.scrub_texts. @forms: its digits as people write them
-- long
select carillon.scrub_texts(@phone, @forms::text[])

-- name: finish
-- Whether nothing is left to erase: see carillon.finish_erasure.
select carillon.finish_erasure(@phone, @hash) as done

-- name: forget
-- Gives up whom the hashes of another secret mean. The rows stay erased. @mark: of ours
delete from carillon.erasures e where split_part(e.hash, '.', 1) <> @mark

-- name: lift
-- Takes an erasure back: see carillon.lift_erasure.
select carillon.lift_erasure(@phone, @hash) as lifted

-- name: old
-- Erases what is older than its retention: see carillon.erase_old. @most: how many people
select carillon.erase_old(@days, @most) as more

-- name: due
-- How many people erase_old would still erase, up to a number. @most: how many at most
select count(*)::integer as people from (
  select from carillon.keep_marks k
  join carillon.recipients r on (r.updated_at, r.id) > (k.at, k.id)
    and r.updated_at < now() - make_interval(secs => @days::double precision * 86400)
  where r.erased_at is null and r.state in ('done', 'skipped', 'rejected')
  limit @most
) p

-- name: keep
-- Sets for how many days what is known of people is kept. @days (null: for ever)
update carillon.keep_marks k set days = @days

-- name: kept
select k.days from carillon.keep_marks k

-- name: others
-- Counts what would be given up with a lost secret. @mark: of ours
select count(*)::integer as people, count(e.sealed)::integer as pending,
  count(s.phone)::integer as suppressed
from carillon.erasures e
left join lateral (select x.phone from carillon.suppressions x where x.phone = 'erased:' || e.hash limit 1) s on true
where split_part(e.hash, '.', 1) <> @mark
