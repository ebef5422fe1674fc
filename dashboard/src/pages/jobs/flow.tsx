import type { ReactNode } from 'react';
import type { CampaignItem, Key } from '../../api/description.ts';
import { useAsks } from '../../data/queries.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { type WaitReason, waitWords } from '../../kit/waits.ts';
import { count, counted } from '../../kit/words.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { mostCalls, useCallsOf, useLiveCalls } from '../../shell/live-calls.ts';
import { Until } from '../campaign/overview/waits.tsx';

/** The way of a call: people wait, then come next, then are on the line. Each number is the sum of the lines below it. */
type Line = { id: string; n: number; name: ReactNode; note?: ReactNode };
type FlowProps = { faults: string | undefined; onChoose(key: string): void; children: ReactNode };

/** `children` come with it, so that it does not move them. */
export function Flow({ faults, onChoose, children }: FlowProps) {
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] });
  const live = useLiveCalls();
  const onLine = useCallsOf();
  const waits = useWaits();
  if (!keys.data || !live.data) return <Read of={{ ...keys, data: undefined }}>{() => null}</Read>;
  const { items } = keys.data;
  const ofKeys = (of: (key: Key) => number, note: (key: Key) => ReactNode): Line[] =>
    items.map((key) => ({
      id: key.name,
      n: of(key),
      name: (
        <button type="button" onClick={() => onChoose(key.name)} className="link">
          {key.name}
        </button>
      ),
      note: note(key),
    }));
  const next = ofKeys(({ planned }) => planned, whyClosed);
  const line = ofKeys(onLine, (key) => {
    const most = mostCalls(key);
    return most !== null && `of at most ${count(most)} at once`;
  });
  const closed = items.filter(({ state, present }) => present && state !== 'open').map(({ name }) => name);
  return (
    <>
      <Glance
        level={faults ? 'act' : closed.length > 0 ? 'watch' : 'fine'}
        title={
          faults ??
          `${counted(sum(line), 'call is', 'calls are')} on the line${waits ? `, ${counted(sum(waits), 'person waits', 'people wait')}` : ''}.`
        }
      >
        {closed.length > 0
          ? `No new calls on ${closed.join(', ')}: Keys says why.`
          : 'Whoever may be called is dialled as soon as a line is free and the pace of a key allows it.'}
      </Glance>
      <div className="mb-7 grid min-h-36 gap-x-10 gap-y-5 border-y border-line py-4 lg:grid-cols-3">
        <Step title={waits && sum(waits) === 1 ? 'waits' : 'wait'} lines={waits} none="Nobody waits now." />
        <Step
          title="about to be dialled"
          isLater
          lines={next}
          none="Nobody this moment: the next in line waits for a free line, or for the pace of a key."
        />
        <Step title="on the line" isLater lines={line} none="No call now." />
      </div>
      {children}
    </>
  );
}

const sum = (lines: readonly Line[]) => lines.reduce((all, { n }) => all + n, 0);

const mostLines = 8;

type StepProps = { title: string; lines: readonly Line[] | null; none: string; isLater?: boolean };

function Step({ title, lines, none, isLater }: StepProps) {
  const shown = [...(lines ?? [])].sort((a, b) => b.n - a.n).filter(({ n, note }) => n > 0 || note);
  const others = sum(shown.slice(mostLines));
  return (
    <section aria-label={title} className={isLater ? 'xl:border-l xl:border-line xl:pl-6' : undefined}>
      <p className="mb-1.5 text-quiet">
        <b className="mr-1 text-2xl font-semibold text-text">{lines ? count(sum(lines)) : '–'}</b> {title}
      </p>
      {shown.length === 0 && lines && <p className="text-sm text-quiet">{none}</p>}
      <ul className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-sm">
        {shown.slice(0, mostLines).map(({ id, n, name, note }) => (
          <li key={id} className="contents">
            <span className="number font-medium">{count(n)}</span>
            <span>
              {name}
              {note && <span className="text-quiet">, {note}</span>}
            </span>
          </li>
        ))}
        {others > 0 && (
          <li className="contents">
            <span className="number font-medium">{count(others)}</span> others
          </li>
        )}
      </ul>
    </section>
  );
}

const whyClosed = ({ present, state, parked }: Key): ReactNode =>
  present &&
  state !== 'open' && (
    <>
      <Badge state={state} /> {parked > 0 && `${counted(parked, 'person', 'people')} parked`}
    </>
  );

const everyMs = 15_000;
const most = 20;

/** Why people wait, over all campaigns that are not over; of very many campaigns, only how many wait for each. */
function useWaits(): Line[] | null {
  const active = useActiveCampaigns().data?.items;
  const waiting = (active ?? []).filter(({ balance }) => balance.waiting + balance.parked > 0);
  const places = waiting.length > most ? [] : waiting.map(({ id }) => ({ params: { id } }));
  const read = useAsks('GET /api/campaigns/{id}', places, everyMs);
  if (!active || read.some(({ data }) => !data)) return null;
  if (waiting.length > most) return waiting.map(ofCampaign);
  const all = new Map<string, { n: number; until: string | null }>();
  for (const { data } of read) {
    const { balance, waits } = data!;
    // They count people who are about to be dialled too, as waiting for the rate: these stand in a column of their own.
    let next = balance.queued;
    const rateFirst = Object.entries(waits).sort(([a], [b]) => Number(b === 'rate') - Number(a === 'rate'));
    for (const [reason, { n: every, until }] of rateFirst) {
      const n = Math.max(0, every - next);
      next -= every - n;
      const known = all.get(reason);
      const first = [known?.until, until].filter((time) => time != null).sort()[0] ?? null;
      if (n > 0) all.set(reason, { n: n + (known?.n ?? 0), until: first });
    }
  }
  return [...all].map(([id, { n, until }]) => ({
    id,
    n,
    name: waitWords[id as WaitReason],
    note: <Until of={id as WaitReason} at={until} />,
  }));
}

const ofCampaign = ({ id, name, balance: { waiting, parked } }: CampaignItem): Line => ({
  id,
  n: waiting + parked,
  name,
});
