import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Suppression } from '../../api/description.ts';
import { usePages } from '../../data/pages.ts';
import { buttonClasses } from '../../kit/button.tsx';
import { Chip, Chips } from '../../kit/chips.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Filters, SelectFilter, TextFilter } from '../../kit/filter.tsx';
import { Glance } from '../../kit/glance.tsx';
import { Listing } from '../../kit/listing.tsx';
import { PageHead } from '../../kit/page.tsx';
import { phoneText } from '../../kit/phone.tsx';
import { DataTable } from '../../kit/table/data-table.tsx';
import { count, counted } from '../../kit/words.ts';
import { useCampaignChoices } from '../../shell/campaign-choices.ts';
import { useMay } from '../../shell/me.ts';
import { Opens } from '../../shell/opens.tsx';
import { AddPhones, ImportFile } from './add.tsx';
import { AllowCalls, columns, HeldUntil, keyOf, sources } from './columns.tsx';

/** The people who must not be called: found, added, imported, exported and taken off. */
const address = getRouteApi('/suppressions');
/** Lists of up to so many are read whole: then each source is counted, and the newest come first. */
const atOnce = 500;

export function SuppressionsPage() {
  const search = address.useSearch();
  const navigate = address.useNavigate();
  const mayAct = useMay('operate');
  const query = { limit: atOnce, ...search, source: search.source as Suppression['source'] | undefined };
  const list = usePages('GET /api/suppressions', { query }, { on: ['recipient.opted_out'] });
  const campaigns = useCampaignChoices();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const set = (name: 'phone' | 'source' | 'campaign') => (value: string | undefined) => {
    setSelected(new Set());
    void navigate({ search: { ...search, [name]: value }, replace: true });
  };
  const isFiltered = Object.keys(search).length > 0;
  const rows = list.rows ?? [];
  // The API tells them by phone: only a list that is read whole can begin with the newest.
  const shown = (
    list.hasMore ? rows : [...rows].sort((a, b) => b.created_at.localeCompare(a.created_at))
  ).map((row) => ({ ...row, id: keyOf(row) }));
  // The same answer while no source is chosen.
  const every = usePages('GET /api/suppressions', { query: { ...query, source: undefined } });
  const kinds = sources.flatMap((source) => {
    const n = every.rows?.filter((row) => row.source === source.value).length ?? 0;
    return n > 0 || every.hasMore || source.value === search.source ? [{ ...source, n }] : [];
  });
  const chosen = rows.filter((row) => selected.has(keyOf(row)));
  return (
    <>
      <PageHead
        title="Suppressions"
        acts={
          <>
            <a href="/api/suppressions.csv" download className={buttonClasses()}>
              Export
            </a>
            <Opens words="Import a file" may="operate">
              {(close) => <ImportFile campaigns={campaigns} onClose={close} />}
            </Opens>
            <Opens words="Suppress phones" may="operate" kind="main">
              {(close) => <AddPhones campaigns={campaigns} onClose={close} />}
            </Opens>
          </>
        }
      />
      {rows.length > 0 && !search.phone && !search.source && (
        <p className="mt-1 text-xl font-semibold tracking-[-0.01em]">
          {list.hasMore && 'At least '}
          {counted(rows.length, 'phone is', 'phones are')}{' '}
          {rows.some(({ campaign, until }) => campaign ?? until) ? 'not' : 'never'} called
          {list.hasMore ? '.' : `: ${kinds.map(({ n, did }) => `${count(n)} ${did}`).join(', ')}.`}
        </p>
      )}
      <Filters
        before={
          kinds.length > 1 && (
            <Chips label="Source">
              <Chip on={!search.source} onClick={() => set('source')(undefined)} label="All" />
              {kinds.map(({ value, label }) => (
                <Chip
                  key={value}
                  on={value === search.source}
                  onClick={() => set('source')(value)}
                  label={label}
                />
              ))}
            </Chips>
          )
        }
      >
        <TextFilter
          label="Phone"
          placeholder="Look for a phone"
          value={search.phone}
          onChange={set('phone')}
          error={search.phone ? list.problem?.message : undefined}
        />
        <SelectFilter
          label="Scope"
          all="Every campaign"
          value={search.campaign}
          choices={campaigns}
          onChange={set('campaign')}
        />
      </Filters>
      {list.rows && search.phone && !search.source && !search.campaign && (
        <OfPhone phone={search.phone} rows={rows} />
      )}
      {mayAct && chosen.length > 0 && (
        <div className="mb-2 flex flex-wrap items-center gap-3">
          <span>{counted(chosen.length, 'phone')} selected</span>
          <AllowCalls rows={chosen} words={`Allow calls to ${counted(chosen.length, 'phone')}`} small />
        </div>
      )}
      <Listing
        list={list}
        empty={
          isFiltered ? (
            <Empty title="Nobody on the list fits these filters">
              A phone is found in any form. With a scope, only phones that this one campaign may not call are
              shown.
            </Empty>
          ) : (
            <Empty title="Nobody is suppressed yet" command="carillon suppress import do-not-call.csv">
              Suppress who must not be called. It acts at once: no call to them begins any more. Who asks for
              no more calls in a call is added by an opt-out.
            </Empty>
          )
        }
      >
        {() => (
          <DataTable
            label="Suppressions"
            rows={shown}
            columns={mayAct ? columns : columns.filter(({ id }) => id !== 'allow')}
            keyOf={keyOf}
            {...(mayAct ? { selected, onSelect: setSelected } : {})}
          />
        )}
      </Listing>
    </>
  );
}

/** Whether the phone that is looked for may be called; where several fit, the list says it of each. */
function OfPhone({ phone, rows }: { phone: string; rows: readonly Suppression[] }) {
  const [only] = rows;
  if (!only)
    return (
      <Glance level="fine" title={`${phoneText(phone)} is not on the list.`}>
        No suppression stops a call to it; hours and contact rules still hold.
      </Glance>
    );
  if (rows.length > 1 || !only.phone) return null;
  return (
    <Glance level="watch" title={`${phoneText(only.phone)} must not be called.`}>
      By {only.campaign ?? 'any campaign'}, <HeldUntil at={only.until} />
      {only.reason && `: ${only.reason}`}.
    </Glance>
  );
}
