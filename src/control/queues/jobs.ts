import { z } from 'zod';
import { currentActor, isEnough } from '../../base/actor.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Engine, JobState } from '../../engine/engine.ts';
import { recipientShape, showRecipient } from '../../export/recipient.ts';
import type { JobFilter, JobLine, JobSearch } from '../../ledger/attempts/jobs.ts';
import { laneStates } from '../../ledger/lanes/lanes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { bucketName, queueName, type Station } from '../../queues/job.ts';
import { openPlaces } from '../../rules/calendar/calendar.ts';
import { readAnyPhone } from '../../rules/phone/readings.ts';
import { createWaits, waitReasons } from '../../rules/wait-reason.ts';
import { timezones, zonesOf } from '../people/show.ts';
import { waitsOn } from '../people/waits.ts';
import { read, readCursor, text, timeCursor, writeCursor } from '../requests/input.ts';
import { type Page, pageOf, wholeOf } from '../requests/page.ts';
import { shownAs } from '../requests/shown.ts';

/** The jobs of the queues with what the ledger knows of each: who it is about, and why it waits. */
const jobKinds = ['dial', 'track'] as const satisfies readonly Station[];
export const jobStates = ['waiting', 'delayed', 'active', 'none'] as const satisfies readonly JobState[];
const closed = laneStates.filter((state) => state !== 'open') as Exclude<
  (typeof laneStates)[number],
  'open'
>[];

export const jobsQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional().describe('The `next` of the page before.'),
  key: text(100).optional().describe('Only of this key.'),
  kind: z
    .enum(jobKinds)
    .optional()
    .describe('`dial`: a call to make; `track`: a call to follow until it ends.'),
  state: z.enum(jobStates).optional().describe('Only jobs in this state in their queue; `none` has no job.'),
  // Not trimmed: the leading space may have been a "+".
  q: z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}]{1,300}$/u, 'must be 1 to 300 characters, none of them a control character')
    .optional()
    .describe(
      'An attempt’s id, the service’s id of a call, a phone in any form, or a campaign by name or id.',
    ),
});

const jobShape = z
  .object({
    attempt: z.string().describe('The attempt’s id, and the job’s.'),
    kind: z.enum(jobKinds),
    state: z
      .enum(jobStates)
      .describe('In its queue. `none`: it has no job now; the reconciler adds one when its time comes.'),
    reason: z
      .enum([...waitReasons, ...closed, 'poll', 'token'])
      .nullable()
      .describe(
        'Why it waits: the wait reason of its row, the state of its key, `poll` for its next poll, or `token`.',
      ),
    until: z.date().nullable().describe('When it is due; null where an event ends the wait.'),
    key: z.string(),
    campaign: z.string(),
    recipient: z.string(),
    row: z.int(),
    phone: z.string(),
    name: z.string().nullable(),
    number: z.int().describe('The first try at the person is 1.'),
    planned_at: z.date(),
    dialed_at: z.date().nullable(),
    call_id: z.string().nullable(),
    status: z.string().nullable(),
    requests: z.int().describe('Creates that were sent for it.'),
    polls: z.int(),
  })
  .meta({ id: 'Job' });
export type Job = z.output<typeof jobShape>;
export const jobsAnswer = pageOf(jobShape);

type JobDeps = {
  ledger: Ledger;
  engine: Engine;
  baseUrl: string;
  clock: { now(): number };
};

/** A state is known only when the queue is asked, so a page looks at this many batches of rows at most. */
const mostLooks = 5;

export async function listJobs(deps: JobDeps, input: unknown): Promise<Page<Job>> {
  const wanted = read(jobsQuery, input);
  const filter = await filterOf(deps.ledger, wanted);
  let after = readCursor(z.tuple([timeCursor, z.uuid()]), wanted.cursor);
  const items: Job[] = [];
  for (let look = 0; look < mostLooks; look++) {
    const want = wanted.limit - items.length;
    const lines = await deps.ledger.jobs.page(
      filter,
      after && { place: after[0], id: after[1] },
      wanted.limit + 1,
    );
    const page = lines.slice(0, wanted.limit);
    const states = await statesOf(deps, page);
    const jobs = page.map((line, nth) => jobOf(deps, line, states[nth]!));
    const fitting = jobs.filter((job) => wanted.state === undefined || job.state === wanted.state);
    items.push(...fitting.slice(0, want));
    const isFull = fitting.length > want;
    const last = isFull ? page[jobs.indexOf(fitting[want - 1]!)] : page.at(-1);
    if (last) after = [last.place, last.id];
    if (!isFull && lines.length <= wanted.limit) return { items, next: null };
    if (items.length >= wanted.limit) break;
  }
  return { items, next: after && writeCursor(after) };
}

async function filterOf(ledger: Ledger, { key, kind, q }: z.output<typeof jobsQuery>): Promise<JobFilter> {
  const dial: JobFilter['states'] = ['planned', 'dialing'];
  const states: JobFilter['states'] =
    kind === 'dial' ? dial : kind === 'track' ? ['placed'] : [...dial, 'placed'];
  return { key: key ?? null, states, search: q === undefined ? null : await searchOf(ledger, q) };
}

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function searchOf(ledger: Ledger, given: string): Promise<JobSearch> {
  const q = given.trim();
  const reading = readAnyPhone(given, undefined);
  const phones = 'phones' in reading ? reading.phones : [];
  const campaign = (await ledger.campaigns.find(q))?.id ?? null;
  if (phones.length > 0 && campaign === null && !isEnough(currentActor().role, 'read_people'))
    throw new CarillonError('forbidden', 'A search by phone needs the role read_people', {
      remedy: 'Send a token with the role read_people, or search by something else.',
    });
  return { attempt: guid.test(q) ? q : null, campaign, phones, call: q };
}

/** A run has queues of its own. The engine is asked once for a whole page. */
function statesOf({ engine, baseUrl }: JobDeps, lines: readonly JobLine[]): Promise<JobState[]> {
  return engine.jobStates(
    lines.map((line) => ({
      queue: queueName(
        bucketName(baseUrl, line.key),
        kindOf(line),
        line.driver === 'run' && line.runLives ? line.campaignId : null,
      ),
      id: line.id,
    })),
  );
}

function kindOf({ state }: JobLine): Station {
  return state === 'placed' ? 'track' : 'dial';
}

function jobOf(deps: JobDeps, line: JobLine, state: Job['state']): Job {
  return shownAs(jobShape, line, {
    attempt: line.id,
    kind: kindOf(line),
    state,
    ...whyItWaits(deps, line, state),
    recipient: String(line.recipientId),
  });
}

type Why = Pick<Job, 'reason' | 'until'>;

function whyItWaits(deps: JobDeps, line: JobLine, state: Job['state']): Why {
  if (line.state === 'placed') return whyPolled(line, deps.clock.now());
  // Its create is under way.
  if (line.state === 'dialing') return { reason: null, until: null };
  if (line.laneState !== 'open') return { reason: line.laneState, until: line.probeAt };
  const { campaignState, driver, runLives, times, where: place, inUse } = line;
  const calendar = deps.ledger.calendarOf(times);
  const campaign = { state: campaignState, driver, runLives, calendar, turn: 'rate' } as const;
  const row = { state: 'waiting', place, nextAt: null, inUse, phoneUntil: null, held: null };
  const wait = createWaits(campaign, deps.clock.now())(row);
  // A worker holds the job until its token comes.
  if (wait?.reason === 'rate' && state === 'active') return { reason: 'token', until: null };
  return wait ?? { reason: null, until: null };
}

function whyPolled({ laneState, nextPollAt, probeAt }: JobLine, now: number): Why {
  if (laneState === 'denied') return { reason: laneState, until: probeAt };
  if (nextPollAt && nextPollAt.getTime() > now) return { reason: 'poll', until: nextPollAt };
  return { reason: 'token', until: null };
}

/** The people who are taken next when a call may be made, and why each still waits. */
export const nextQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
});

const nextShape = recipientShape
  .pick({
    id: true,
    campaign: true,
    row: true,
    phone: true,
    name: true,
    state: true,
    reason: true,
    until: true,
    callback_at: true,
    outcome: true,
    attempts: true,
  })
  .extend({ timezones })
  .meta({ id: 'NextPerson' });
export const nextAnswer = wholeOf(nextShape);

const ofEach = 20;

type NextDeps = { ledger: Ledger; baseUrl: string; clock: { now(): number } };

export async function listNext({ ledger, baseUrl, clock }: NextDeps, input: unknown) {
  const { limit } = read(nextQuery, input);
  const ids = await ledger.search.next(
    baseUrl,
    await openNow(ledger, clock.now()),
    Math.min(ofEach, limit),
    limit,
  );
  const lines = await ledger.search.lines(ids);
  const waits = await waitsOn(ledger, lines, clock.now());
  const show = (line: (typeof lines)[number]) =>
    nextShape.parse({ ...showRecipient(line, line.campaign, waits(line)), timezones: zonesOf(line) });
  return { items: lines.map(show), next: null };
}

/** The open places of each campaign that has hours, as the planner sees them. */
async function openNow(ledger: Ledger, now: number): Promise<Record<string, string[]>> {
  await ledger.policies.refresh();
  const windows = await ledger.lanes.windows(null);
  return Object.fromEntries(
    windows.flatMap(({ id, times, places }) => {
      const open = openPlaces(ledger.calendarOf(times), places, now);
      return open ? [[id, open]] : [];
    }),
  );
}
