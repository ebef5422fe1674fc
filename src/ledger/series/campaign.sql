-- A campaign's series. $1 campaign, $2 the step that is kept, in seconds, $3 from, $4 before, $5 the step that is shown
select carillon.step_of(s.at, $5) as at, sum(s.begun) as begun, sum(s.calls) as calls, sum(s.answered) as answered,
  sum(s.voicemail) as voicemail, sum(s.no_answer) as "noAnswer", sum(s.busy) as busy, sum(s.failed) as failed,
  sum(s.canceled) as canceled, sum(s.cost) as cost, sum(s.costed) as costed, sum(s.creates) as creates,
  sum(s.polls) as polls, sum(s.refused) as refused, sum(s.lags) as lags, sum(s.lag_sum) as "lagSum",
  max(s.lag_max) as "lagMax"
from carillon.campaign_series s
where s.campaign_id = $1 and s.step = $2 and s.at >= $3 and s.at < $4
group by 1 order by 1
