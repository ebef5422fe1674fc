import { readFileSync } from 'node:fs';
import type { App } from '../../../app.ts';
import { createCampaign } from '../../../control/campaigns/create.ts';
import type { ServiceAccess } from '../../../control/service/access.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { Cli } from '../../command-io.ts';
import { watchSignals } from '../../terminal/signals.ts';
import { allParts, serveUntil } from '../up.ts';

/** `carillon demo --stay`: simulated campaigns of several kinds, so that every page has something to look at. */
type Sample = { name: string; people: number; order: Record<string, unknown> };

/** The simulator's agent says so of people who want no more calls, or a call at another time. */
const spoken = { opt_out: 'structured_data.opt_out=true', callback_at: 'structured_data.callback_at' };

/** Every name says that it is simulated. */
const samples: readonly Sample[] = [
  {
    name: 'demo: renewals',
    people: 240,
    order: { max_attempts: 3, retry: { 'no-answer': '2m', busy: '1m' }, max_calls: 6 },
  },
  { name: 'demo: reminders', people: 60, order: { first: 20 } },
  { name: 'demo: survey', people: 160, order: { weight: 2, max_calls: 4, max_cost: 12 } },
  { name: 'demo: appointments', people: 1_600, order: { max_calls: 14 } },
];

/** Lists of past calls, as after weeks of work. `carillon demo` calls nobody for them. */
const past = [
  { name: 'demo: last month (simulated)', people: 700, began: 24, days: 14 },
  { name: 'demo: last week (simulated)', people: 400, began: 7, days: 6 },
  { name: 'demo: yesterday (simulated)', people: 320, began: 1, days: 1 },
] as const;
const pastOrder = { max_attempts: 2, retry: { 'no-answer': '1d', busy: '1d' }, window: '09:00-20:00' };

/** Phones that are kept free for fiction: their beginnings, and how many digits follow. */
type Region = { zone: string; begins: readonly string[]; digits: number };
const eastern = [
  212, 617, 404, 813, 305, 215, 704, 410, 614, 313, 518, 716, 401, 203, 207, 802, 804, 843, 912, 919, 412,
  859,
];
/** It is day in one of them at any time. */
const regions: readonly Region[] = [
  { zone: 'America/New_York', begins: eastern.map((area) => `+1${area}55501`), digits: 2 },
  { zone: 'Europe/London', begins: ['+442079460', '+441614960', '+441214960'], digits: 3 },
  { zone: 'Australia/Sydney', begins: ['+6125550'], digits: 4 },
];
const firstNames = ['Ada', 'Ben', 'Clara', 'Dario', 'Edith', 'Farid', 'Greta', 'Hugo', 'Ines', 'Jonas'];
const lastNames =
  'Alder Brandt Cruz Duarte Ellis Fox Grant Hale Iverson Jensen Khan Lopez Meyer Novak Okafor Park Quinn Rossi Silva Tanaka Unger Varga Weber Young Zhou'.split(
    ' ',
  );

/** The region where it is nearest to two in the afternoon. */
function regionOfDay(): Region {
  const distance = ({ zone }: Region) => {
    const form = new Intl.DateTimeFormat('en', { timeZone: zone, hour: 'numeric', hourCycle: 'h23' });
    return Math.abs(Number(form.format(Date.now())) - 14);
  };
  return regions.reduce((best, each) => (distance(each) < distance(best) ? each : best));
}

/** The same phone is the same person in every campaign. */
function people({ begins, digits }: Region, many: number, from: number) {
  const each = 10 ** digits;
  return Array.from({ length: many }, (_, nth) => {
    const at = from + nth;
    const first = firstNames[at % firstNames.length];
    const last = lastNames[Math.floor(at / firstNames.length) % lastNames.length];
    const begin = begins[Math.floor(at / each) % begins.length];
    return { phone: `${begin}${String(at % each).padStart(digits, '0')}`, name: `${first} ${last}` };
  });
}

/** Serves the page, dials on the simulated service, and ends with Ctrl-C. */
export async function stay(cli: Cli): Promise<void> {
  const signals = watchSignals();
  try {
    await cli.withApp(
      async (app) => {
        const note = (error: Error) => cli.note(error.message);
        const region = regionOfDay();
        const stations = app.stations({ dialer: app.dialer, campaignId: null, runId: null });
        const service = app.service({ note: () => undefined, patienceMs: 10_000, stations });
        await makeHistory(app, service, region).catch(note);
        const made = makeCampaigns(service, region).catch(note);
        await serveUntil(cli, app, allParts, signals.signal);
        await made;
      },
      { actor: null },
    );
  } finally {
    signals.stop();
  }
}

async function makeCampaigns(service: ServiceAccess, region: Region): Promise<void> {
  let from = 0;
  for (const { name, people: many, order } of samples) {
    const recipients = people(region, many, from);
    from += many;
    const told = { name, agent: 'agent_demo', from: ['all'], ...spoken, recipients, ...order, start: true };
    await createCampaign(service, told);
  }
}

/** Made first, so that the lists are in the order of their times. */
async function makeHistory(app: App, service: ServiceAccess, region: Region): Promise<void> {
  const [lane] = await app.ledger.lanes.list();
  if (!lane) return;
  for (const [nth, { name, people: many, began, days }] of past.entries()) {
    const recipients = people(region, many, nth * 500);
    const order = { ...pastOrder, timezone: region.zone };
    const made = await createCampaign(service, { name, agent: 'agent_demo', recipients, ...order });
    await makePastCalls(app.ledger, made.answer.id, { lane: lane.id, zone: region.zone, began, days });
  }
  // Before the keys work: what these calls cost is not what they spend now.
  await app.ledger.tallies.fold();
}

const text = readFileSync(new URL('./past-calls.sql', import.meta.url), 'utf8');

/**
 * Ends a draft whose name says `(simulated)` as if its people had been called some days ago; returns how many calls it
 * shows. It is no verb of the ledger: only the demo makes a past.
 */
export async function makePastCalls(
  { db }: Pick<Ledger, 'db'>,
  campaign: string,
  { lane, zone, began, days }: { lane: number; zone: string; began: number; days: number },
): Promise<number> {
  const { rows } = await db.transaction(({ client }) =>
    client.query<{ calls: number }>(text, [campaign, lane, began, days, zone]),
  );
  return rows[0]?.calls ?? 0;
}
