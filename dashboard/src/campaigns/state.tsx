import type { Campaign, CampaignItem } from '../api/ask.ts';
import { useLive } from '../data/queries.ts';
import { Badge } from '../kit/basics.tsx';
import { NameLink } from '../kit/router.tsx';
import { count, counted, timeText, type WaitReason } from '../kit/words.ts';
import { actOfStill, causes } from '../shell/causes.ts';

/** How a campaign stands: its pace, who is left, and why nobody is called. */

/** How many calls begin a minute: of the last minutes, as the ledger's series tells them; each whole minute stands beside it. */
const lastMs = 120_000;

export function usePace(id: string): { perMinute: number | null; minutes: number[] } {
  const { data, dataUpdatedAt: now } = useLive(
    'GET /api/campaigns/{id}/series',
    { id, step: 'minute' },
    { everyMs: 30_000 },
  );
  const points = data?.items ?? [];
  const first = points.findIndex(({ begun }) => begun > 0);
  if (first < 0) return { perMinute: null, minutes: [] };
  const begun = points.slice(first);
  // The minute of the first call was not whole, and the present one is not over.
  const whole = begun.length > 1 ? begun.slice(1) : begun;
  const lately = whole.filter(({ at }) => now - Date.parse(at) < lastMs);
  const since = Date.parse(lately[0]?.at ?? '');
  const calls = lately.reduce((sum, point) => sum + point.begun, 0);
  return {
    perMinute: lately.length === 0 ? 0 : (calls * 60_000) / Math.max(15_000, now - since),
    minutes: begun.slice(1, -1).map((point) => point.begun),
  };
}

type Balance = CampaignItem['balance'];

/** People who were not reached yet and are not on the line. */
export const leftOf = ({ waiting, queued, parked }: Balance) => waiting + queued + parked;
/** Of these, those whose call is not on its way. */
export const waitingOf = ({ waiting, parked }: Balance) => waiting + parked;
/** People who need something more. */
export const openOf = (balance: Balance) => leftOf(balance) + balance.calling + balance.unknown;

/** Of people who wait some were called already: `19 done, 1 to call again, 40 not called`. */
export function calledWords({ balance, answers }: Pick<CampaignItem, 'balance' | 'answers'>): string {
  const { done, calling, unknown } = balance;
  const waiting = waitingOf(balance);
  const again = Math.min(waiting, Math.max(0, answers.people_called - done - calling - unknown));
  const parts = [`${count(done)} done`, again > 0 && `${count(again)} to call again`];
  return [...parts, `${count(waiting - again)} not called`].filter(Boolean).join(', ');
}

/** A row that was rejected is nobody who could be called. */
export const peopleOf = ({ rows, rejected }: Balance) => rows - rejected;

/** The share of people who were called to an end, rounded down: it is 100 % only at the end. */
export const doneShare = (balance: Balance) =>
  Math.floor((100 * (peopleOf(balance) - openOf(balance))) / Math.max(1, peopleOf(balance)));

/** Its whole list was rejected: there is nobody whom it could call. */
export const isAllRejected = ({ balance }: Pick<CampaignItem, 'balance'>) =>
  balance.rejected > 0 && peopleOf(balance) === 0;

export function stillWords(campaign: CampaignItem): string | null {
  const { standstill, balance } = campaign;
  if (isAllRejected(campaign)) return `all its ${counted(balance.rejected, 'row was', 'rows were')} rejected`;
  if (!standstill) return null;
  const { cause, message, until } = standstill;
  // A closed key asks the service at that time, which may not end it.
  return until && !causes[cause].isElsewhere ? `${message}, until ${timeText(until)}` : message;
}

/** What ends its standstill, where a person or the service does; it follows on what waits. */
export function endWords(campaign: CampaignItem | Campaign): string | null {
  const { ends = null, endsFor, isPause } = causes[campaign.standstill?.cause ?? 'start'];
  return isPause ? null : endsFor?.(campaign) || ends;
}

/** The event that ends a wait without a time of its own. */
export const endedBy = (reason: WaitReason) => causes[reason].ends;

/**
 * A campaign's state, where nobody can be called now as what it is: it waits for a time, or stands still until somebody
 * acts. One of single calls does not run to an end: it says what it is while it may dial.
 */
type StateBadgeProps = {
  of: CampaignItem | Campaign;
  soft?: boolean;
};

export function StateBadge({ of, soft = false }: StateBadgeProps) {
  const { kind, state, standstill: still } = of;
  if (isAllRejected(of) && !hasEnded(of)) return <Badge state="warning" label="nobody to call" soft={soft} />;
  const isOpen = state === 'running' && kind === 'calls';
  if (state !== 'running' || isOpen || !still)
    return <Badge state={isOpen ? 'single calls' : state} soft={soft} />;
  if (waitsForTime(still)) return <Badge state="waiting" label="waits" soft={soft} />;
  const act = actOfStill(of);
  const isUnknown = act !== null && 'to' in act && act.to.startsWith('/unknown');
  const look = isUnknown ? 'unknown' : causes[still.cause].isGrave ? 'critical' : 'warning';
  return <Badge state={look} label="stands still" soft={soft} />;
}

/** Nobody has to act: it calls by itself when the time has come. */
export const waitsForTime = (still: CampaignItem['standstill']) =>
  still !== null && causes[still.cause].byTime === true;

export const hasEnded = ({ state }: Pick<CampaignItem, 'state'>) => state === 'done' || state === 'canceled';

/** Its people are called by a command that has ended. */
export const isUndriven = ({ state, driver, run_active: driven }: CampaignItem) =>
  state === 'running' && driver === 'run' && !driven;

/** Those that wait for a time; what needs a person stands above them. */
export function StillLines({ campaigns }: { campaigns: readonly CampaignItem[] }) {
  const still = campaigns.filter(
    ({ kind, state, standstill }) => kind === 'list' && state === 'running' && waitsForTime(standstill),
  );
  if (still.length === 0) return null;
  return (
    <ul aria-label="Campaigns that call nobody" className="mb-4 space-y-1 text-sm text-quiet">
      {still.map((campaign) => (
        <li key={campaign.id}>
          <NameLink of="campaigns" id={campaign.id} name={campaign.name} /> calls nobody:{' '}
          {stillWords(campaign)}.
        </li>
      ))}
    </ul>
  );
}
