-- What a request made, while it is kept. $1 its reference
select r.asked, r.made from carillon.repeats r where r.ref = $1 and (r.ends_at is null or r.ends_at > now())
