// A receiver of Carillon's webhooks, without any package: it verifies each delivery, handles it once, and answers at once.
//
//   WEBHOOK_SECRET=whsec_... PORT=8080 node examples/receiver.js
//   WEBHOOK_ALLOW_PRIVATE=1 carillon webhook add http://127.0.0.1:8080/hook     prints the secret
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { WEBHOOK_SECRET = '', PORT = '8080', HOST = '127.0.0.1' } = process.env;
const key = Buffer.from(WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64');
const toleranceSeconds = 300;
/** The handled events, as each may come again. They belong in a database, next to what they changed. */
const handled = new Set();

function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = headers;
  if (Math.abs(Date.now() / 1_000 - Number(at)) > toleranceSeconds) return false;
  const wanted = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest();
  return signatures
    .split(' ')
    .filter((each) => each.startsWith('v1,'))
    .map((each) => Buffer.from(each.slice(3), 'base64'))
    .some((given) => given.length === wanted.length && timingSafeEqual(given, wanted));
}

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  if (request.method !== 'POST' || !isGenuine(request.headers, body)) return response.writeHead(401).end();
  const event = JSON.parse(body);
  if (!handled.has(event.id)) {
    handled.add(event.id);
    console.log(event.at, event.type, event.data.campaign ?? '', event.data.outcome ?? '');
  }
  response.writeHead(204).end();
});

if (key.length < 24) {
  console.error('Set WEBHOOK_SECRET to what `carillon webhook add` printed.');
  process.exit(2);
}
server.listen(Number(PORT), HOST, () =>
  console.log(`listening on http://${HOST}:${server.address().port}/hook`),
);
