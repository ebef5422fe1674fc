import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Unknown } from '../../api/description.ts';
import { usePages } from '../../data/pages.ts';
import { useAsk } from '../../data/queries.ts';
import { OutcomeMark } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Empty, Loading, Trouble } from '../../kit/empty.tsx';
import { PageHead } from '../../kit/page.tsx';
import { Phone } from '../../kit/phone.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { Time } from '../../kit/time.tsx';
import { counted } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { Entries } from '../activity/entry.tsx';
import { Bar } from './bar.tsx';
import { heads, UnknownPanel } from './panel.tsx';
import { SettleDialog, type Target } from './settle.tsx';
import { useSettling } from './settling.ts';

const route = getRouteApi('/unknown');
const atOnce = 100;

/**
 * The attempts that wait for a person: those for which nobody knows whether a call was made or how it ended,
 * each with what settles it.
 */
export function UnknownPage() {
  const { campaign, attempt: wanted } = route.useSearch();
  const [chosen, setChosen] = useState<Set<string>>(new Set());
  const [target, setTarget] = useState<Target | null>(null);
  const navigate = useNavigate();
  const may = useMay('operate');
  const list = usePages(
    'GET /api/unknown',
    { query: { limit: atOnce, campaign, counts: '1' } },
    { everyMs: 15_000, on: ['attempt.unknown', 'attempt.done', 'attempt.placed'] },
  );
  const counts = list.first?.campaigns ?? [];
  const all = counts.reduce((sum, { unknown }) => sum + unknown, 0);
  const settling = useSettling();
  const rows = (list.rows ?? []).filter(({ attempt }) => !settling.has(attempt));
  const shown = rows.find(({ attempt }) => attempt === wanted) ?? rows[0];
  const selected = new Set([...chosen].filter((key) => rows.some(({ attempt }) => attempt === key)));
  const open = ({ attempt }: Unknown) =>
    void navigate({
      to: '/unknown',
      search: { ...(campaign ? { campaign } : {}), attempt },
      replace: true,
      resetScroll: false,
    });

  return (
    <>
      <PageHead title="Unknown calls" />
      {list.problem && !list.rows && <Trouble problem={list.problem} retry={list.again} />}
      {!list.rows && !list.problem && <Loading lines={6} />}
      {list.rows && rows.length === 0 && <Nothing campaign={campaign} />}
      {rows.length > 0 && (
        <div className="grid items-start gap-6 [overflow-anchor:none] xl:grid-cols-[25rem_minmax(0,1fr)]">
          <p className="max-xl:order-first xl:col-span-2">
            <b className="font-semibold">{counted(all, 'person', 'people')} may have been called.</b>{' '}
            <span className="text-quiet">
              Nobody calls them again until you say what happened: to wait is better than to call twice.
            </span>
          </p>
          <div className="min-w-0">
            <Bar campaign={campaign} counts={counts} rows={rows} selected={selected} onSettle={setTarget} />
            <DataTable
              label="Unknown calls, the oldest first"
              rows={rows}
              columns={columns}
              keyOf={({ attempt }) => attempt}
              onOpen={open}
              onMove={open}
              current={shown?.attempt}
              {...(may ? { selected, onSelect: setChosen } : {})}
            />
            <p className="mt-3 text-xs text-quiet max-md:hidden">
              <kbd className="key">J</kbd> <kbd className="key">K</kbd> walk
              {may && (
                <>
                  , <kbd className="key">X</kbd> selects those that you settle together
                </>
              )}
            </p>
            {list.hasMore && (
              <Button small className="mt-2" onClick={list.more} busy={list.isMoreBusy}>
                Show more
              </Button>
            )}
            <div className="mt-8">
              <Settled campaign={campaign} />
            </div>
          </div>
          {shown && <UnknownPanel key={shown.attempt} unknown={shown} />}
        </div>
      )}
      {target && (
        <SettleDialog of={target} onClose={() => setTarget(null)} onSettled={() => setChosen(new Set())} />
      )}
    </>
  );
}

const columns: Column<Unknown>[] = [
  {
    id: 'person',
    head: 'Person',
    cell: ({ phone, name, campaign, reason, redial }) => (
      <>
        <span className="flex items-baseline justify-between gap-3 pt-1">
          <span className="flex items-center gap-2 font-medium">
            <OutcomeMark state="unknown" />
            {name ?? <Phone phone={phone} />}
          </span>
          {name && <Phone phone={phone} />}
        </span>
        <span className="block pb-1 pl-5 text-xs text-quiet">
          {reason === 'lost' ? campaign : heads[reason]}
          {redial && '; redialled by its rule'}
        </span>
      </>
    ),
  },
  {
    id: 'at',
    head: 'Dialled',
    cell: ({ dialing_at: at }) => <Time at={at} />,
    number: true,
  },
];

function Nothing({ campaign }: { campaign: string | undefined }) {
  return (
    <>
      <Empty title={campaign ? `No call of ${campaign} is unknown` : 'No call is unknown, which is good'}>
        <p>
          When the answer to a call is lost, or its end is never told, nobody knows whether the person was
          called. Carillon does not guess, and calls nobody twice: such a call waits here until you say which
          it was.
        </p>
        {campaign && (
          <p className="mt-2">
            <PageLink to="/unknown" className="link">
              Show every campaign
            </PageLink>
          </p>
        )}
      </Empty>
      <Settled campaign={campaign} />
    </>
  );
}

/** Who settled the last ones, and how. */
function Settled({ campaign }: { campaign: string | undefined }) {
  const { data } = useAsk(
    'GET /api/activity',
    { query: { verb: 'unknown.resolve', campaign, limit: 5 } },
    { enabled: useMay('operate') },
  );
  if (!data?.items.length) return null;
  return (
    <Section id="settled" title="Settled lately" bare>
      <Entries rows={data.items} />
    </Section>
  );
}
