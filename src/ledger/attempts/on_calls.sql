-- How many attempts are being dialled or on a call, over all campaigns and services.
select count(*)::integer as calling from carillon.attempts a where a.state in ('dialing', 'placed')
