-- What a request added, by its Idempotency-Key. $1 the request
select w.id, w.url, w.secret, w.events, w.ref_body as "body" from carillon.webhooks w where w.ref = $1
