/**
 * Follows the events of a campaign and continues after a restart where it stopped: npx tsx examples/events.ts spring
 * The address is CARILLON_URL (by default http://127.0.0.1:3000), the token API_TOKEN, if there is one.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const campaign = process.argv[2];
const url = new URL('/api/events', process.env.CARILLON_URL ?? 'http://127.0.0.1:3000');
if (campaign) url.searchParams.set('campaign', campaign);
const token = process.env.API_TOKEN;
const place = 'events.place';

type CarillonEvent = { id: string; type: string; at: string; data: Record<string, unknown> };

/** This program's act on an event. */
function handle({ at, type, data }: CarillonEvent): void {
  console.log(at, type, data.campaign ?? data.name, data.outcome ?? data.state ?? '');
}

async function follow(): Promise<void> {
  const last = existsSync(place) ? readFileSync(place, 'utf8') : undefined;
  const answer = await fetch(url, {
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(last ? { 'last-event-id': last } : {}),
    },
  });
  if (!answer.ok || !answer.body) throw new Error(`${answer.status}: ${await answer.text()}`);
  let rest = '';
  for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      // A comment has no data: it only shows that the connection lives.
      if (data === undefined) continue;
      const event: CarillonEvent = JSON.parse(data);
      handle(event);
      writeFileSync(place, event.id);
    }
  }
}

for (;;) {
  try {
    await follow();
  } catch (error) {
    console.error((error as Error).message);
  }
  await new Promise((resolve) => setTimeout(resolve, 1_000));
}
