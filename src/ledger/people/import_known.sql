-- Which of these phones are on a list: looked up one by one, however long the list is. $1 campaign, $2 phones
select p.phone from unnest($2::text[]) as p(phone)
cross join lateral (
  select from carillon.recipients r where r.campaign_id = $1 and r.phone = p.phone and r.ref = '' offset 0
) known
