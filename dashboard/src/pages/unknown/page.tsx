import { useState } from 'react';
import type { Unknown } from '../../api/ask.ts';
import { usePages } from '../../data/queries.ts';
import { OutcomeMark } from '../../kit/basics.tsx';
import { SelectFilter } from '../../kit/filter.tsx';
import { ActsMenu } from '../../kit/menu.tsx';
import { Glance, Page } from '../../kit/page.tsx';
import { useFilters } from '../../kit/router.tsx';
import { Split } from '../../kit/side-panel.tsx';
import { type Column, DataTable, Listing, left } from '../../kit/table/data-table.tsx';
import { Phone, Time } from '../../kit/values.tsx';
import { count, counted } from '../../kit/words.ts';
import { useNeeds } from '../../shell/needs.ts';
import { NeedText } from '../../shell/needs-list.tsx';
import { personHref, Step, Walks } from '../../shell/people.tsx';
import { useMay } from '../../shell/reads.ts';
import { Lately } from '../activity/page.tsx';
import { ActDialog, settles, type Wish } from '../campaign/bulk.tsx';
import { heads } from './course.tsx';
import { settling, UnknownPanel } from './panel.tsx';

/** The calls of which nobody knows whether they were made or how they ended, each with what settles it. */
export function UnknownPage() {
  const { search, set } = useFilters('/unknown', { resetScroll: false });
  const { campaign, attempt: wanted } = search;
  const [chosen, setChosen] = useState<Set<string>>(new Set());
  const [wish, setWish] = useState<Wish | null>(null);
  const may = useMay('operate');
  const need = useNeeds().items.find(({ id }) => id === 'unknown');
  const list = usePages('GET /api/unknown', { limit: 100, campaign, counts: '1' }, { everyMs: 5_000 });
  const counts = list.first?.campaigns ?? [];
  const all = counts.find((each) => each.campaign === campaign)?.unknown ?? 0;
  const settled = settling.use();
  const rows = list.rows?.filter(({ attempt }) => !settled.has(attempt));
  const shown = rows?.find(({ attempt }) => attempt === wanted) ?? rows?.[0];
  const at = shown ? rows!.indexOf(shown) : -1;
  // One that was settled a moment ago is no longer counted.
  const gone = (list.rows?.length ?? 0) - (rows?.length ?? 0);
  const total = counts.reduce((sum, { unknown }) => sum + unknown, -gone);
  const recipient = (rows ?? []).flatMap((each) => (chosen.has(each.attempt) ? each.recipient : []));
  const every = campaign && all > 0 ? { campaign, state: 'unknown' } : null;
  const many = recipient.length > 0 ? { recipient } : may && every;
  const open = ({ attempt }: Unknown) => set({ attempt });
  const said = (
    <p>
      <b className="font-semibold">{counted(total, 'person', 'people')} may have been called.</b>{' '}
      <span className="text-quiet">
        {need && campaign === undefined ? (
          <NeedText of={need} />
        ) : (
          'They are not called again until you say what happened.'
        )}
      </span>
    </p>
  );

  return (
    <Page
      title="Unknown"
      note={total > 0 && counted(total, 'call')}
      acts={
        (counts.length > 1 || campaign) && (
          <SelectFilter
            label="Of which campaign"
            all="Every campaign"
            value={campaign}
            choices={counts.map(({ campaign: name, unknown: n }) => ({
              value: name,
              label: `${name} (${count(n)})`,
            }))}
            onChange={(value) => set({ campaign: value, attempt: undefined })}
          />
        )
      }
    >
      <Listing
        list={{ ...list, rows }}
        empty={
          <>
            <Glance level="fine" title={`Every call${campaign ? ` of ${campaign}` : ''} is accounted for.`}>
              When nobody knows whether a call was made, or how it ended, it waits here until you say:
              Carillon calls nobody twice.
            </Glance>
            <Lately title="Settled lately" verb="unknown.resolve" campaign={campaign} />
          </>
        }
      >
        {(found) => (
          <Split
            list={
              <>
                <div className="mb-2 px-4 max-xl:hidden lg:px-6">{said}</div>
                {many && (
                  <div className="px-4 pb-1 lg:px-6">
                    <ActsMenu
                      small
                      acts={settles}
                      onChoose={(act) => {
                        setWish({ act, filter: many });
                        setChosen(new Set());
                      }}
                    >
                      {recipient.length > 0
                        ? `Settle ${count(recipient.length)} selected`
                        : `Settle all ${count(all)} of ${campaign}`}
                    </ActsMenu>
                  </div>
                )}
                <Walks
                  of="unknown"
                  people={found.map(({ phone, recipient: id }) => personHref({ phone, id }))}
                />
                <DataTable
                  label="Unknown calls, the oldest first"
                  rows={found}
                  columns={columnsOf(found)}
                  keyOf={({ attempt }) => attempt}
                  onOpen={open}
                  onMove={open}
                  current={shown?.attempt}
                  {...(may ? { selected: chosen, onSelect: setChosen } : {})}
                />
              </>
            }
          >
            {shown && (
              <UnknownPanel key={shown.attempt} unknown={shown}>
                {/* Beside the list it is seen which one it is. */}
                <div className="mb-2 xl:hidden">{said}</div>
                <nav aria-label="Unknown calls" className="flex items-center text-sm text-quiet xl:hidden">
                  <Step label="The call before" to={found[at - 1]} onGo={open} isBack />
                  {count(at + 1)} of {count(total)}
                  <Step label="The next call" to={found[at + 1]} onGo={open} />
                </nav>
              </UnknownPanel>
            )}
          </Split>
        )}
      </Listing>
      {wish && <ActDialog {...wish} onClose={() => setWish(null)} />}
    </Page>
  );
}

/** Whom to ask is seen in the list; the cause only where one is not that of all. */
const columnsOf = (rows: readonly Unknown[]): Column<Unknown>[] => [
  left('person', 'The oldest first', ({ phone, name, reason, redial, campaign, key, dialing_at: at }) => (
    <>
      <span className="flex items-baseline gap-2 pt-1 [&>span>svg]:translate-y-px">
        <OutcomeMark state="unknown" />
        <span className="min-w-0 flex-1 truncate font-medium">{name ?? <Phone phone={phone} />}</span>
        {name && <Phone phone={phone} />}
      </span>
      <span className="flex justify-between gap-3 pl-5 text-xs text-quiet">
        <span className="truncate">
          {campaign}, key {key}
        </span>
        <Time at={at} />
      </span>
      <span className="block pb-1 pl-5 text-xs text-quiet">
        {rows.some((each) => each.reason !== reason) && heads[reason]}
        {redial && ' It is redialled by its rule.'}
      </span>
    </>
  )),
];
