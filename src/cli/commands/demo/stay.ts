import type { App } from '../../../app.ts';
import { createCampaign } from '../../../control/campaigns/create.ts';
import type { ServiceAccess } from '../../../control/service/access.ts';
import type { Cli } from '../../command-io.ts';
import { watchSignals } from '../../terminal/signals.ts';
import { allParts, serveUntil } from '../up.ts';
import { makePastCalls } from './past-calls.ts';

/** `carillon demo --stay`: simulated campaigns of several kinds, so that every page has something to look at. */
type Sample = { name: string; people: number; order: Record<string, unknown> };

/** The simulator's agent says so of people who want no more calls. */
const optOut = 'structured_data.opt_out=true';

/** Every name says that it is simulated. */
const samples: readonly Sample[] = [
  {
    name: 'demo: renewals',
    people: 90,
    order: { max_attempts: 2, retry: { 'no-answer': '20s', busy: '10s' } },
  },
  { name: 'demo: reminders', people: 60, order: { first: 20 } },
  { name: 'demo: survey', people: 80, order: { weight: 2 } },
  { name: 'demo: appointments', people: 900, order: { max_calls: 3 } },
];

/** Lists of past calls, as after weeks of work. `carillon demo` calls nobody for them. */
const past = [
  { name: 'demo: last month (simulated)', people: 700, began: 24, days: 14 },
  { name: 'demo: last week (simulated)', people: 400, began: 7, days: 6 },
] as const;
const pastOrder = {
  max_attempts: 2,
  retry: { 'no-answer': '1d', busy: '1d' },
  window: '09:00-20:00',
  timezone: 'America/New_York',
};

/** Numbers that belong to nobody: 555-0100 to 555-0199 of each area. */
const areas = [415, 212, 312, 617, 303, 206, 404, 702, 503, 602, 214, 813];
const firstNames = ['Ada', 'Ben', 'Clara', 'Dario', 'Edith', 'Farid', 'Greta', 'Hugo', 'Ines', 'Jonas'];
const lastNames =
  'Alder Brandt Cruz Duarte Ellis Fox Grant Hale Iverson Jensen Khan Lopez Meyer Novak Okafor Park Quinn Rossi Silva Tanaka Unger Varga Weber Young Zhou'.split(
    ' ',
  );

/** The same phone is the same person in every campaign. */
const nameOf = (at: number) =>
  `${firstNames[at % firstNames.length]} ${lastNames[Math.floor(at / firstNames.length) % lastNames.length]}`;

function people(many: number, from: number) {
  return Array.from({ length: many }, (_, nth) => {
    const at = from + nth;
    const area = areas[Math.floor(at / 100) % areas.length];
    return { phone: `+1${area}55501${String(at % 100).padStart(2, '0')}`, name: nameOf(at) };
  });
}

/** Serves the page, dials on the simulated service, and ends with Ctrl-C. */
export async function stay(cli: Cli): Promise<void> {
  const signals = watchSignals();
  try {
    await cli.withApp(
      async (app) => {
        const made = makeCampaigns(app).catch((error: Error) => cli.note(error.message));
        await serveUntil(cli, app, allParts, signals.signal);
        await made;
      },
      { actor: null },
    );
  } finally {
    signals.stop();
  }
}

async function makeCampaigns(app: App): Promise<void> {
  const stations = app.stations({ dialer: app.dialer, campaignId: null, runId: null });
  const service = app.service({ note: () => undefined, patienceMs: 10_000, stations });
  await makeHistory(app, service);
  let from = 0;
  for (const { name, people: many, order } of samples) {
    const recipients = people(many, from);
    from += many;
    const told = { name, agent: 'agent_demo', opt_out: optOut, recipients, ...order, start: true };
    await createCampaign(service, told);
  }
}

/** Made first, so that the lists are in the order of their times. */
async function makeHistory(app: App, service: ServiceAccess): Promise<void> {
  const [lane] = await app.ledger.lanes.list();
  if (!lane) return;
  for (const [nth, { name, people: many, began, days }] of past.entries()) {
    const recipients = people(many, nth * 500);
    const made = await createCampaign(service, { name, agent: 'agent_demo', recipients, ...pastOrder });
    await makePastCalls(app.ledger, made.answer.id, lane.id, began, days);
  }
}
