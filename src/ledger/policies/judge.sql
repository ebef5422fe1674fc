-- What contact rules say of a phone at a moment: the rule that holds it longest, and until when; no row when none does. $1
-- phone, $2 moment (null: now), $3 caps [{calls, seconds}], $4 gap, $5 conversation, in seconds
select h.rule, h.until
from carillon.judge_phones(
  array[$1::text], null, coalesce($2::timestamptz, clock_timestamp()), $3::jsonb, $4, $5) h
