import { useEffect, useState } from 'react';
import type { Suppression } from '../../api/ask.ts';
import { usePages } from '../../data/queries.ts';
import { buttonClasses } from '../../kit/basics.tsx';
import { Choose, Filters, SelectFilter, TextFilter } from '../../kit/filter.tsx';
import { Empty, Glance, Page } from '../../kit/page.tsx';
import { Link, useFilters } from '../../kit/router.tsx';
import { DataTable, Listing } from '../../kit/table/data-table.tsx';
import { codeOf, phoneText } from '../../kit/values.tsx';
import { count, counted } from '../../kit/words.ts';
import { Opens } from '../../shell/opens.tsx';
import { useCampaignChoices, useMay } from '../../shell/reads.ts';
import { AddPhones, AllowCalls, columns, HeldUntil, keyOf, sources, whyText } from './list.tsx';

/** The people who must not be called: whether a phone is one of them, and all of them. */

export function SuppressionsPage() {
  const { search, set, filter } = useFilters('/suppressions');
  const mayAct = useMay('operate');
  // Lists of up to so many are read whole: then each source is counted, and the newest come first.
  const list = usePages(
    'GET /api/suppressions',
    { limit: 500, phone: search.phone, campaign: search.campaign },
    { everyMs: 5_000 },
  );
  const campaigns = useCampaignChoices();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  // biome-ignore lint/correctness/useExhaustiveDependencies: those of another filter are no longer meant.
  useEffect(() => setSelected(new Set()), [search]);
  const all = list.rows ?? [];
  const rows = all
    .filter(({ source }) => !search.source || source === search.source)
    .sort((a, b) => (list.hasMore ? 0 : b.created_at.localeCompare(a.created_at)))
    .map((row) => ({ ...row, id: keyOf(row) }));
  const ending = all.filter(({ until }) => until !== null).length;
  const shown = sources
    .map(({ value, label }) => [value, label, all.filter(({ source }) => source === value).length] as const)
    // One source alone is no choice.
    .filter(([value, , n]) => (n > 0 && n < all.length) || value === search.source);
  const chosen = rows.filter(({ id }) => selected.has(id));
  return (
    <Page
      title="Suppressions"
      note={
        list.rows &&
        `${list.hasMore ? 'at least ' : ''}${counted(all.length, 'phone')}${ending > 0 ? `, ${count(ending)} only until a time` : ''}`
      }
      acts={
        <>
          <a href="/api/suppressions.csv" download className={buttonClasses()}>
            Export
          </a>
          <Opens words="Suppress phones" may="operate">
            {(close) => <AddPhones campaigns={campaigns} onClose={close} />}
          </Opens>
        </>
      }
    >
      <h2 className="mt-1 mb-2 text-xl font-semibold tracking-[-0.01em]">Is this phone suppressed?</h2>
      <Filters>
        <TextFilter
          {...filter('phone', 'Phone')}
          wide
          placeholder={`${codeOf(all[0]) ?? '+1'} … or a part of it`}
          error={search.phone ? list.problem?.message : undefined}
        />
      </Filters>
      {list.rows && search.phone && !search.campaign && <OfPhone phone={search.phone} rows={all} />}
      <Filters
        before={
          <Choose
            label="Source"
            of={[[undefined, 'All', all.length], ...shown]}
            value={search.source}
            onChange={(source) => set({ source })}
          />
        }
      >
        <SelectFilter {...filter('campaign', 'Scope')} all="Every campaign" choices={campaigns} />
        {mayAct && chosen.length > 0 && (
          <AllowCalls rows={chosen} words={`Allow calls to ${counted(chosen.length, 'phone')}`} small />
        )}
      </Filters>
      <Listing
        list={{ ...list, rows: list.rows && rows }}
        empty={
          Object.keys(search).length > 0 ? (
            !search.phone && <Empty title="Nobody on the list fits these filters" />
          ) : (
            <Empty title="Nobody is suppressed yet" command="carillon suppress import do-not-call.csv">
              Suppress who must not be called: from then on nobody calls them. Who asks on a call for no more
              calls is added by an opt-out.
            </Empty>
          )
        }
      >
        {() => (
          <DataTable
            label="Suppressions"
            rows={rows}
            columns={mayAct ? columns : columns.filter(({ id }) => id !== 'allow')}
            {...(mayAct ? { selected, onSelect: setSelected } : {})}
          />
        )}
      </Listing>
    </Page>
  );
}

/** Whether the phone that is looked for may be called; where several fit, the list says it of each. */
function OfPhone({ phone, rows }: { phone: string; rows: readonly Suppression[] }) {
  const [only] = rows;
  if (!only)
    return (
      <Glance level="fine" title={`${phoneText(phone)} is not suppressed.`}>
        Whether the hours and the rules allow a call is told by <Link to="/policy">Contact rules</Link>.
      </Glance>
    );
  if (rows.length > 1 || !only.phone)
    return <Glance level="watch" title={`${count(rows.length)} phones that fit must not be called.`} />;
  return (
    <Glance level="watch" title={`${phoneText(only.phone)} must not be called.`}>
      By {only.campaign ?? 'any campaign'}, <HeldUntil at={only.until} />: {whyText(only)}.
    </Glance>
  );
}
