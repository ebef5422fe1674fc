-- Skips at most this many waiting rows of a canceled campaign: see carillon.sweep_campaign. Returns how many there
-- were.
-- $1 campaign, $2 how many
select carillon.sweep_campaign(c.id, c.sweep, $2) as swept
from carillon.campaigns c where c.id = $1 and c.sweep is not null
