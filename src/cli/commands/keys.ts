import type { Command } from 'commander';
import type { App } from '../../app.ts';
import { CarillonError } from '../../base/errors.ts';
import { ask, faultError } from '../../lane/ask.ts';
import { showView } from '../../lane/governor.ts';
import type { Lane } from '../../lane/lane.ts';
import type { LaneState } from '../../ledger/lanes/verbs.ts';
import { type Cli, command } from '../cli.ts';
import { tableLines, timeText } from '../output/table.ts';

/** `carillon keys`: how each key fares, and the word of a person that a closed one may create calls again. */
export function keysCommand(cli: Cli): Command {
  const keys = command(
    'keys',
    'Show each key: its state, its rate and what is under way on it.',
    'carillon keys\ncarillon keys resume default',
  )
    .option('--json', 'print one JSON document')
    .action((options: { json?: true }) =>
      cli.withApp(async (app) => {
        const views = await viewKeys(app);
        if (options.json) cli.json({ keys: views });
        else for (const line of drawKeys(views)) cli.out(line);
      }),
    );
  return keys.addCommand(resumeCommand(cli));
}

function resumeCommand(cli: Cli): Command {
  return command(
    'resume',
    'Let a key create calls again, once the service accepts it.',
    'carillon keys resume default',
  )
    .argument('<name>', 'the key’s name in VOICE_API_KEYS')
    .option('--json', 'print one JSON document')
    .action((name: string, _options: object, self: Command) =>
      cli.withApp(async (app) => {
        const resumed = await resumeKey(app, deskOf(app, name), cli);
        // `keys` knows --json as well, and takes it wherever it stands.
        if (self.optsWithGlobals<{ json?: true }>().json) return cli.json(resumed);
        const { was, planned } = resumed;
        if (was === 'open') return cli.out(`The key ${name} is open; the service accepts it.`);
        const rows =
          planned > 0 ? ` ${planned.toLocaleString('en-US')} parked attempts are planned again.` : '';
        cli.out(`The key ${name} creates calls again.${rows}`);
      }),
    );
}

type KeyView = {
  name: string;
  /** Whether VOICE_API_KEYS has it. */
  present: boolean;
  state: LaneState;
  reason: string | null;
  since: string;
  probe_at: string | null;
  /** Creates in a row that got no answer, or that of a failing service. */
  losses: number;
  rate: number | null;
  rate_from: 'fixed' | 'learned' | 'first guess' | null;
  rests_ms: number;
  /** What is believed of the service's own limits, how surely, and since when. */
  belief: ReturnType<typeof showView> | null;
  calling: number;
  planned: number;
  parked: number;
};

const words = {
  open: 'open',
  failing: 'service failing',
  out_of_credit: 'no credit',
  denied: 'denied',
} as const;

async function viewKeys(app: App): Promise<KeyView[]> {
  const lanes = await app.ledger.lanes.list();
  const views: KeyView[] = [];
  for (const lane of lanes) {
    const desk = app.lanes.find((each) => each.id === lane.id);
    // A key that was taken out of the settings is of interest only while something hangs on it.
    if (!desk && lane.planned + lane.parked + lane.calling === 0) continue;
    views.push({
      name: lane.name,
      present: desk !== undefined,
      state: lane.state,
      reason: lane.reason,
      since: lane.since.toISOString(),
      probe_at: lane.probeAt?.toISOString() ?? null,
      losses: lane.losses,
      ...(desk ? await readPace(app, desk) : { rate: null, rate_from: null, rests_ms: 0, belief: null }),
      calling: lane.calling,
      planned: lane.planned,
      parked: lane.parked,
    });
  }
  return views;
}

async function readPace(
  app: App,
  desk: Lane,
): Promise<Pick<KeyView, 'rate' | 'rate_from' | 'rests_ms' | 'belief'>> {
  const { rate, learned } = desk.governor.limit();
  const [reading, memory] = await Promise.all([
    app.engine.bucket.read(desk.bucket),
    app.engine.bucket.readState(desk.bucket),
  ]);
  return {
    rate: Math.round(rate * 1_000) / 1_000,
    rate_from: !learned ? 'fixed' : memory.version > 0 ? 'learned' : 'first guess',
    rests_ms: reading?.restMs ?? 0,
    belief: showView(desk.governor.view()),
  };
}

function drawKeys(views: readonly KeyView[]): string[] {
  return tableLines(
    ['KEY', 'STATE', 'RATE', 'IN FLIGHT', 'PLANNED', 'PARKED', 'RESTS', 'SINCE', 'NEXT PROBE', 'WHY'],
    views.map((view) => [
      view.name,
      view.present ? words[view.state] : 'not in VOICE_API_KEYS',
      view.rate === null ? null : `${view.rate}/s ${view.rate_from}`,
      view.calling,
      view.planned,
      view.parked,
      view.rests_ms > 0 ? `${(view.rests_ms / 1_000).toFixed(1)} s` : null,
      timeText(new Date(view.since)),
      view.probe_at ? timeText(new Date(view.probe_at)) : null,
      view.reason,
    ]),
  );
}

function deskOf(app: App, name: string): Lane {
  const desk = app.lanes.find((each) => each.name === name);
  if (desk) return desk;
  const names = app.lanes.map((each) => each.name).join(', ');
  throw new CarillonError('key-unknown', `There is no key named ${name}; VOICE_API_KEYS has ${names}`);
}

/** The service is asked first: a key that it still refuses stays closed. */
async function resumeKey(app: App, desk: Lane, cli: Cli) {
  const answer = await ask(desk, { clock: app.clock, note: cli.note }, (client) =>
    client.listNumbers({ limit: 1 }),
  );
  if (!answer.ok) throw faultError(answer.fault, desk.name, `The key ${desk.name} cannot be tried`);
  const was = desk.state;
  const attempts = was === 'open' ? [] : await app.ledger.lanes.open(desk.id);
  if (attempts.length > 0) {
    // The reconciler would find them too; this spares its round.
    const { queues } = app.stations({ dialer: app.dialer, campaignId: null, runId: null });
    await queues.add(desk.bucket, 'dial', attempts);
  }
  return { name: desk.name, was, state: 'open', planned: attempts.length };
}
