import { z } from 'zod';
import type { Campaign } from '../../ledger/campaigns/campaigns.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Counts } from '../../ledger/tallies/tallies.ts';
import { type Calendar, closesAt, nextOpening } from '../../rules/calendar/calendar.ts';
import { type Forecast, type ForecastInput, forecast, type KeyPace } from '../../rules/forecast/forecast.ts';
import { meanLengthOf, oddsOf, type SeenCalls } from '../../rules/forecast/odds.ts';
import { limiters, type NumberDays } from '../../rules/forecast/simulate.ts';
import type { Order } from '../../rules/order.ts';
import { readPlace } from '../../rules/phone/place.ts';
import type { Standstill } from '../../rules/standstill.ts';
import { dueStepMs } from '../../rules/wait-reason.ts';
import { changeOrder, readTypedChange } from '../order/order.ts';
import { read } from '../requests/input.ts';
import { roundTo } from '../requests/shown.ts';
import type { ServiceAccess } from '../service/access.ts';
import { daysOf, namedDays, pacesOf, type Stop, speedOf, stopOf } from './forecast-keys.ts';
import { createStandstills } from './standstill.ts';

/** When a campaign will end, how many more calls it makes and what they cost, also under another order. */
export type ForecastDeps = Pick<ServiceAccess, 'ledger' | 'lanes' | 'clock'>;

/** `ends_at` holds nulls when the end is unknown because no key creates calls. */
const time = z.date().nullable();
export const forecastAnswer = z
  .object({
    ends_at: z
      .object({ p10: time, p50: time, p90: time })
      .describe(
        'It ends before `p10` in one case of ten, and before `p90` in nine. All null while no key creates calls.',
      ),
    calls: z.int().describe('Calls that it still makes, retries included.'),
    cost: z.number().nullable(),
    uncalled: z
      .int()
      .nullable()
      .describe(
        'About how many people are never called, as the campaign or their hours end before; null when nobody can tell.',
      ),
    limited_by: z
      .enum([...limiters, 'budget'])
      .describe(
        'What it waits for most; `refused` while the service takes no calls on any key; `number` while its caller numbers have made their calls of 24 hours (`per_number_day`); `budget` where `max_cost` ends before the list: `calls` and `cost` are then what it is enough for, and there is no end.',
      ),
    reason: z
      .string()
      .nullable()
      .describe('The service’s words, while no key creates calls; else why it stands still, or null.'),
    next_call: z
      .object({ at: z.date(), timezones: z.array(z.string()) })
      .nullable()
      .describe('When hours next open for somebody, and where they are; null when nobody is left for it.'),
    timezones: z.array(z.string()).describe('Where the people are who wait, the most people first.'),
  })
  .meta({ id: 'Forecast' });
export type ShownForecast = z.output<typeof forecastAnswer>;

/** `with` names fields of the order: `max_calls=40`. A field without a value gets its default. */
export const forecastQuery = z.strictObject({
  with: z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat())
    .optional(),
});

export async function forecastCampaign(
  deps: ForecastDeps,
  nameOrId: string,
  given: unknown = {},
  known?: Standstill | null,
): Promise<ShownForecast> {
  const { with: typed = [] } = read(forecastQuery, given);
  const campaign = await deps.ledger.campaigns.get(nameOrId);
  const order = typed.length > 0 ? changeOrder(campaign, readTypedChange(typed)) : campaign;
  const { situation, stop, counts } = await situationOf(deps, campaign, order);
  const told = showForecast(forecast(situation), stop);
  const priced = await withMoney(deps.ledger.budgets, told, order, campaign.id);
  // What stops every key is in the service's own words; and another order may be what gets it going again.
  if (stop || typed.length > 0) return priced;
  const standstill = known === undefined ? await createStandstills(deps.ledger)(campaign, counts) : known;
  // To resume it, where it is paused, is not enough.
  if (standstill?.ends !== 'act') return priced;
  const by = limiting.find((each) => each === standstill.cause) ?? priced.limited_by;
  return { ...priced, ends_at: nobodyKnows, uncalled: null, limited_by: by, reason: standstill.message };
}

const nobodyKnows = { p10: null, p50: null, p90: null };
/** Causes of a standstill that are what limits the campaign. */
const limiting = ['budget', 'number', 'calls'] as const;

/** What the forecast calls cost, and how many of them the order's budget is enough for. `of` is null for a new campaign. */
export async function withMoney(
  budgets: Pick<Ledger['budgets'], 'price' | 'priceOfAgents'>,
  told: ShownForecast,
  { maxCost, agents }: Pick<Order, 'maxCost' | 'agents'>,
  of: string | null,
): Promise<ShownForecast> {
  if (told.cost !== null && !maxCost) return told;
  const ids = agents.map(({ id }) => id);
  const { price, spent, reserved } = await (of ? budgets.price(of) : budgets.priceOfAgents(ids));
  if (price === null) return told;
  const left = maxCost ? Math.max(0, Math.floor((maxCost - spent - reserved) / price)) : told.calls;
  // While no key makes calls, nobody knows when the rest is called; but what it costs is known, such as how much to top up.
  if (told.calls <= left) return { ...told, cost: told.cost ?? roundTo(2, told.calls * price) };
  // Money ends before the list: nobody knows when more is given.
  return {
    ...told,
    ends_at: nobodyKnows,
    calls: left,
    uncalled: null,
    cost: roundTo(2, left * price),
    limited_by: 'budget',
    reason: `the budget of ${maxCost} is enough for about ${left} of ${told.calls} calls`,
  };
}

/** A forecast for people who are not in the ledger yet, counted by place. */
type ListForecast = {
  now: number;
  order: Order;
  calendar: Calendar | null;
  /** The least time between two calls to one phone, by the contact rules. */
  gapSeconds: number | null;
  people: ReadonlyMap<string, number>;
  keys: readonly KeyPace[];
  /** How its caller numbers stand to their limit of a day; without it those that the order names have called nobody. */
  numbers?: NumberDays | null;
  /** Why no key creates calls. */
  stop?: Stop | null;
  /** How much faster than real time a simulated service's calls pass. */
  speed?: number;
};

export function forecastList({
  now,
  order,
  calendar,
  gapSeconds,
  people,
  keys,
  numbers = namedDays(order),
  stop = null,
  speed = 1,
}: ListForecast): ShownForecast {
  const groups = [...people].map(([place, n]) => ({ place, due: null, attempts: 0, held: false, n }));
  return showForecast(
    forecast({
      now,
      people: groups,
      planned: 0,
      calling: 0,
      hours: hoursOf(calendar),
      order: termsOf(order),
      gapMs: (gapSeconds ?? 0) * 1_000,
      keys,
      numbers,
      pollsPerCall: pollsOf(0, 0),
      odds: oddsOf([], order.maxAttempts, null, 0, speed),
    }),
    stop,
  );
}

/** The same for the keys of this process, shared with the other campaigns. */
export async function forecastPeople(
  { ledger, lanes, clock, baseUrl }: ForecastDeps & Pick<ServiceAccess, 'baseUrl'>,
  order: Order,
  people: ReadonlyMap<string, number>,
): Promise<ShownForecast> {
  const [numbers, rows, rivals] = await Promise.all([
    daysOf({ ledger, lanes }, order),
    ledger.lanes.list(),
    ledger.campaigns.rivals(baseUrl, '00000000-0000-0000-0000-000000000000'),
  ]);
  const share = order.weight / (order.weight + rivals);
  const told = forecastList({
    now: clock.now(),
    order,
    calendar: ledger.calendarOf(order.times),
    gapSeconds: ledger.policyInForce()?.gapSeconds ?? null,
    people,
    keys: pacesOf(rows, lanes, share),
    numbers,
    stop: stopOf(rows, lanes),
    speed: speedOf(lanes.map(({ client }) => client)),
  });
  return withMoney(ledger.budgets, told, order, null);
}

async function situationOf(
  { ledger, lanes, clock }: ForecastDeps,
  campaign: Campaign,
  order: Order,
): Promise<{ situation: ForecastInput; stop: Stop | null; counts: Counts }> {
  const { reports } = ledger;
  const [groups, sums, standing, rows, rivals, meanSeconds, numbers] = await Promise.all([
    reports.waiting(campaign.id),
    reports.report(campaign.id, 'attempt'),
    reports.standing(campaign.id),
    ledger.lanes.list(),
    ledger.campaigns.rivals(campaign.baseUrl, campaign.id),
    meanLength(ledger, order),
    daysOf({ ledger, lanes }, order),
  ]);
  const { counts, polls } = standing;
  const seen = sums.map((each): SeenCalls => ({ ...each, attempt: Number(each.value) }));
  const ended = seen.reduce((sum, each) => sum + each.calls, 0);
  const share = order.weight / (order.weight + rivals);
  return {
    situation: {
      now: clock.now(),
      people: groups.map(({ place, due, attempts, held, n }) => ({
        place,
        due: due && due.getTime() + dueStepMs / 2,
        attempts,
        held: held !== '' && held !== 'callback',
        n,
      })),
      planned: counts.queued + counts.parked,
      calling: counts.calling,
      hours: hoursOf(ledger.calendarOf(order.times)),
      order: termsOf(order),
      gapMs: (ledger.policyInForce()?.gapSeconds ?? 0) * 1_000,
      keys: pacesOf(rows, lanes, share),
      numbers,
      pollsPerCall: pollsOf(polls, ended + counts.calling / 2),
      odds: oddsOf(
        seen,
        order.maxAttempts,
        meanSeconds,
        counts.calling,
        speedOf(lanes.map(({ client }) => client)),
      ),
    },
    stop: stopOf(rows, lanes),
    counts,
  };
}

function hoursOf(calendar: Calendar | null) {
  return {
    opens: (place: string, at: number) => nextOpening(calendar, place, at),
    closes: (place: string, at: number) => closesAt(calendar, place, at),
  };
}

function termsOf({ maxAttempts, retry, retryWhen, maxCalls }: Order) {
  return { maxAttempts, retry, maxCalls, spread: retryWhen === 'spread' };
}

/** Polls of a call; close to the usual number while few calls were made. */
function pollsOf(polls: number, calls: number): number {
  const usual = { polls: 3, weight: 8 };
  return (polls + usual.polls * usual.weight) / (calls + usual.weight);
}

/** How long the calls of its agents take, weighted by their shares, where that is known. */
async function meanLength(ledger: Ledger, { agents }: Order): Promise<number | null> {
  const known = await Promise.all(
    agents.map(async ({ id, share }) => ({
      share,
      seconds: meanLengthOf(await ledger.ageCounts.ofAgent(id)),
    })),
  );
  const told = known.filter((each): each is { share: number; seconds: number } => each.seconds !== null);
  const shares = told.reduce((sum, each) => sum + each.share, 0);
  return shares > 0 ? told.reduce((sum, each) => sum + (each.share * each.seconds) / shares, 0) : null;
}

export function showForecast(
  { endsAt, calls, uncalled, cost, limitedBy, nextCall: next, places }: Forecast,
  stop: Stop | null = null,
): ShownForecast {
  const timeOf = (at: number | undefined) => (at === undefined ? null : new Date(at));
  return {
    ends_at: { p10: timeOf(endsAt?.p10), p50: timeOf(endsAt?.p50), p90: timeOf(endsAt?.p90) },
    calls,
    uncalled,
    cost: cost === null ? null : roundTo(2, cost),
    limited_by: limitedBy ?? stop?.by ?? 'rate',
    reason: stop?.words ?? null,
    next_call: next && { at: new Date(next.at), timezones: zonesOf([next.place]) },
    timezones: zonesOf(places),
  };
}

const zonesOf = (places: readonly string[]) => [...new Set(places.flatMap((at) => readPlace(at).zones))];
