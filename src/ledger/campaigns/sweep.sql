-- Skips at most this many waiting rows of a campaign that was canceled or has ended: see carillon.sweep_campaign. Returns how many there
-- were.
-- $1 campaign, $2 how many
select carillon.sweep_campaign(c.id, coalesce(c.sweep, 'ended'), $2) as swept
from carillon.campaigns c where c.id = $1 and (c.sweep is not null or carillon.has_ended(c.ends_at))
