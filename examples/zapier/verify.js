// Code by Zapier (JavaScript), after the trigger Catch Raw Hook: refuses what is not from Carillon, and hands on one person's
// result by name. Its input data: `body` (Raw Body), `id`, `timestamp` and `signature` (the headers webhook-id,
// webhook-timestamp and webhook-signature), and `secret`, which `carillon webhook add` printed.
const { createHmac, timingSafeEqual } = require('node:crypto');

const { body, id, timestamp, signature, secret } = inputData;
const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
const wanted = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
const isGenuine = signature.split(' ').some((each) => {
  const given = Buffer.from(each.replace(/^v1,/, ''), 'base64');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
});
if (!isGenuine) throw new Error('This delivery is not from Carillon.');

const { type, data } = JSON.parse(body);
/** Write it under `person`: the same delivery may come twice, and a later result is the person's newest. */
output = {
  event: id,
  type,
  person: data.id ?? '',
  campaign: data.campaign ?? '',
  phone: data.phone ?? '',
  name: data.name ?? '',
  outcome: data.outcome ?? '',
  seconds: data.duration ?? 0,
  transcript: data.transcript ?? '',
  deal: data.input?.deal ?? '',
};
