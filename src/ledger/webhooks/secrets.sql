-- The sealed secrets of all addresses, which say what sealed them.
select w.secret from carillon.webhooks w
