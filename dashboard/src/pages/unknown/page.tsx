import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Unknown } from '../../api/description.ts';
import { usePages } from '../../data/pages.ts';
import { OutcomeMark } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Empty, Loading, Trouble } from '../../kit/empty.tsx';
import { Filters, SelectFilter } from '../../kit/filter.tsx';
import { PageHead } from '../../kit/page.tsx';
import { Phone } from '../../kit/phone.tsx';
import { type Column, DataTable, left } from '../../kit/table/data-table.tsx';
import { Time } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { Lately } from '../activity/entry.tsx';
import { heads } from './course.tsx';
import { UnknownPanel } from './panel.tsx';
import { doubtOf, SettleDialog, type Target } from './settle.tsx';
import { useSettling } from './verdict.tsx';

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
  const total = counts.reduce((sum, { unknown }) => sum + unknown, 0);
  const all = campaign ? (counts.find((each) => each.campaign === campaign)?.unknown ?? 0) : total;
  const settling = useSettling();
  const rows = (list.rows ?? []).filter(({ attempt }) => !settling.has(attempt));
  const shown = rows.find(({ attempt }) => attempt === wanted) ?? rows[0];
  const selected = rows.filter(({ attempt }) => chosen.has(attempt));
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
      {list.rows && rows.length === 0 && (
        <Empty
          title={campaign ? `No call of ${campaign} is unknown` : 'No call is unknown, which is good'}
          act={
            campaign && (
              <PageLink to="/unknown" className="link">
                Show every campaign
              </PageLink>
            )
          }
        >
          When the answer to a call is lost, or its end is never told, nobody knows whether the person was
          called. Carillon does not guess, and calls nobody twice: such a call waits here until you say which
          it was.
        </Empty>
      )}
      {rows.length > 0 && (
        <div className="mb-8 grid items-start gap-x-6 gap-y-4 [overflow-anchor:none] xl:grid-cols-[25rem_minmax(0,1fr)]">
          <p className="max-xl:order-first xl:col-span-2">
            <b className="font-semibold">{counted(total, 'person', 'people')} may have been called.</b>{' '}
            <span className="text-quiet">
              Nobody calls them again until you say what happened: to wait is better than to call twice.
            </span>
          </p>
          <div className="min-w-0">
            {(counts.length > 1 || campaign) && (
              <Filters>
                <SelectFilter
                  label="Of which campaign"
                  all="Every campaign"
                  value={campaign}
                  choices={counts.map(({ campaign: name, unknown: n }) => ({
                    value: name,
                    label: `${name} (${count(n)})`,
                  }))}
                  onChange={(value) =>
                    void navigate({ to: '/unknown', search: value ? { campaign: value } : {} })
                  }
                />
                {may && campaign && all > 0 && (
                  <Button small onClick={() => setTarget({ campaign, n: all })}>
                    Settle all {count(all)} of {campaign}
                  </Button>
                )}
              </Filters>
            )}
            <DataTable
              label="Unknown calls, the oldest first"
              rows={rows}
              columns={columns}
              keyOf={({ attempt }) => attempt}
              onOpen={open}
              onMove={open}
              current={shown?.attempt}
              {...(may ? { selected: chosen, onSelect: setChosen } : {})}
            />
            <div className="mt-3 flex flex-wrap items-center gap-2 text-xs text-quiet" role="status">
              {rows.length < all && `The oldest ${count(rows.length)} of ${count(all)}.`}
              {selected.length > 0 && (
                <Button small onClick={() => setTarget({ attempts: selected.map(doubtOf) })}>
                  Settle {count(selected.length)} selected
                </Button>
              )}
              {list.hasMore && (
                <Button small onClick={list.more} busy={list.isMoreBusy}>
                  Show more
                </Button>
              )}
            </div>
          </div>
          {shown && <UnknownPanel key={shown.attempt} unknown={shown} />}
        </div>
      )}
      {list.rows && (
        <Lately
          title="Settled lately"
          verb="unknown.resolve"
          campaign={campaign}
          none="Nobody has settled one yet. What is settled stands here: when, by whom, and what it was."
        />
      )}
      {target && (
        <SettleDialog of={target} onClose={() => setTarget(null)} onSettled={() => setChosen(new Set())} />
      )}
    </>
  );
}

const columns: Column<Unknown>[] = [
  left(
    'person',
    'Person, phone, and when it was dialled',
    ({ phone, name, campaign, reason, redial, dialing_at: at }) => (
      <>
        <span className="flex items-baseline gap-2 pt-1 [&>span>svg]:translate-y-px">
          <OutcomeMark state="unknown" />
          <span className="min-w-0 flex-1 truncate font-medium">{name ?? <Phone phone={phone} />}</span>
          {name && <Phone phone={phone} />}
          <span className="w-16 text-right">
            <Time at={at} />
          </span>
        </span>
        <span className="block pb-1 pl-5 text-xs text-quiet">
          {reason === 'lost' ? campaign : heads[reason]}
          {redial && '; redialled by its rule'}
        </span>
      </>
    ),
  ),
];
