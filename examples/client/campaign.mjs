// Makes a campaign, adds people as they come from somewhere, follows its calls until it is done, and reads the results:
//
//   npm install carillon
//   node examples/client/campaign.mjs spring agent_123
//
// The address is CARILLON_URL (by default http://127.0.0.1:3000), the token API_TOKEN, if there is one. Started again
// with the same name, it makes nothing twice: it goes on with the campaign that is there.
import { CarillonApiError, createClient } from 'carillon/client';

const [name = 'spring', agent = 'agent_123'] = process.argv.slice(2);
const carillon = createClient({
  baseUrl: process.env.CARILLON_URL ?? 'http://127.0.0.1:3000',
  token: process.env.API_TOKEN,
});

/** Stands for a query of your own: people come one by one, and are sent as they come. */
async function* people() {
  for (let nth = 0; nth < 40; nth++)
    yield {
      phone: `+1415555${String(100 + nth).padStart(4, '0')}`,
      name: `Person ${nth + 1}`,
      city: 'Boston',
    };
}

/** @param {AbortSignal} signal */
async function call(signal) {
  const campaign = await carillon.campaigns.create(
    { name, agent },
    { idempotencyKey: `make-${name}`, signal },
  );
  const added = await carillon.people.add(name, people(), { country: 'US' });
  console.log(`${campaign.name}: ${added.new} new, ${added.known} known, ${added.rejected} rejected`);

  // Open before the campaign starts: nothing is missed between the two.
  const events = await carillon.events.follow({
    campaign: campaign.id,
    types: ['recipient.done', 'campaign.done'],
    signal,
  });
  if ((await carillon.campaigns.get(name)).state !== 'done') {
    await carillon.campaigns.start(name);
    for await (const event of events) {
      if (event.type === 'campaign.done') break;
      if ('outcome' in event.data) console.log(event.at, event.data.phone, event.data.outcome);
    }
  }
  await events.return();

  /** @type {Record<string, number>} */
  const outcomes = {};
  for await (const { outcome, state } of carillon.people.results(name))
    outcomes[outcome ?? state] = (outcomes[outcome ?? state] ?? 0) + 1;
  console.log(outcomes);
}

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
try {
  await call(stop.signal);
} catch (error) {
  if (stop.signal.aborted) process.exitCode = 130;
  else if (error instanceof CarillonApiError) {
    console.error(`${error.code}: ${error.message}. ${error.remedy}`);
    process.exitCode = 1;
  } else throw error;
}
