import type { ReactNode } from 'react';
import type { Key } from '../../api/description.ts';
import { Meter } from '../../kit/meter.tsx';
import { Stat } from '../../kit/stat.tsx';
import { about, cost, count } from '../../kit/words.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { mostCalls, sumOf, useCallsOf } from '../../shell/live-calls.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { sentLastMinute } from './line.tsx';

/** The head of Keys, and of one key: how much of its limits is used, what it costs, and what was refused. */
type KeyFiguresProps = {
  keys: readonly Key[];
  refused: { n: number; span: string; note: ReactNode };
};

export function KeyFigures({ keys, refused }: KeyFiguresProps) {
  const callsOf = useCallsOf();
  const currency = useActiveCampaigns(15_000).data?.items.find((each) => each.currency)?.currency;
  const sum = (part: (key: Key) => number) => keys.reduce((all, key) => all + part(key), 0);
  const [calling, sent, spent] = [sum(callsOf), sum(sentLastMinute) / 60, sum(({ cost_1h: n }) => n)];
  const limit = sumOf(
    keys.map(({ belief, rate, rate_from: from }) => (from === 'fixed' ? rate : belief?.limit) ?? null),
  );
  return (
    <dl className="mb-6 grid grid-cols-2 gap-x-8 gap-y-4 border-y border-line py-4 lg:grid-cols-4">
      <Stat name="Calls at once" note={<Used n={calling} most={sumOf(keys.map(mostCalls))} />}>
        <PageLink
          to={keys.length === 1 ? `/live?key=${encodeURIComponent(keys[0]!.name)}` : '/live'}
          className="hover:underline"
        >
          <Big>{count(calling)}</Big>
        </PageLink>
      </Stat>
      <Stat name="Requests a second, last minute" note={<Used n={sent} most={limit} words="of about" />}>
        <Big>{about(sent)}</Big>
      </Stat>
      <Stat name="Cost, last hour" note="as far as the service has told it">
        <Big>{spent > 0 ? cost(spent, currency) : '–'}</Big>
      </Stat>
      <Stat name={`Refused as too many, ${refused.span}`} note={refused.note}>
        <Big>{count(refused.n)}</Big>
      </Stat>
    </dl>
  );
}

const Big = ({ children }: { children: ReactNode }) => (
  <span className="text-2xl font-semibold">{children}</span>
);

type UsedProps = { n: number; most: number | null; words?: string };

function Used({ n, most, words = 'of' }: UsedProps) {
  if (most === null) return 'no limit met yet';
  return (
    <div className="pt-1.5">
      <Meter
        label="Use of the limit"
        value={Math.min(n, most)}
        most={most}
        words={`${words} ${about(most)}`}
      />
    </div>
  );
}

/** Calls of a thing with a page, against the most that there may be. */
export const UsedLine = ({ name, to, n, most }: UsedProps & { name: string; to: string }) => (
  <div className="mb-2.5 grid grid-cols-[10rem_minmax(0,1fr)] items-baseline gap-x-4 text-sm">
    <PageLink to={to} className="truncate font-medium hover:underline">
      {name}
    </PageLink>
    {most === null ? `${count(n)}, without a limit` : <Used n={n} most={most} words={`${count(n)} of`} />}
  </div>
);
