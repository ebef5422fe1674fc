-- Everyone who may be tried again waits, unless the order has allowed still more meanwhile.
-- $1 campaign, $2 the revision that allowed more
update carillon.campaigns set reopening = null where id = $1 and reopening = $2
