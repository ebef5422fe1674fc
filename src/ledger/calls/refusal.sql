-- Why a single call was not taken. $1 campaign, $2 phone
select c.state, exists (select from carillon.barring($2, c.id)) as suppressed
from carillon.campaigns c where c.id = $1
