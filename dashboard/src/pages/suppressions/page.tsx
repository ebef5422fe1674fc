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
import { counted } from '../../kit/words.ts';
import { useCampaignChoices } from '../../shell/campaign-choices.ts';
import { useMay } from '../../shell/me.ts';
import { Opens } from '../../shell/opens.tsx';
import { AddPhones } from './add.tsx';
import { AllowCalls } from './allow.tsx';
import { columns, HeldUntil, keyOf, sources } from './columns.tsx';
import { ImportFile } from './import-file.tsx';

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
  const numberOf = (source?: string) =>
    every.rows && !every.hasMore
      ? every.rows.filter((row) => !source || row.source === source).length
      : undefined;
  const chosen = rows.filter((row) => selected.has(keyOf(row)));
  const whole = list.rows && (
    <Whole
      // Another filter may hide it.
      phone={search.source || search.campaign ? undefined : search.phone}
      rows={rows}
      hasMore={list.hasMore}
    />
  );
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
      {!search.phone && whole}
      <Filters
        before={
          <Chips label="Source">
            <Chip on={!search.source} onClick={() => set('source')(undefined)} label="All" n={numberOf()} />
            {sources
              .filter(({ value }) => value === search.source || numberOf(value) !== 0)
              .map(({ value, label }) => (
                <Chip
                  key={value}
                  on={value === search.source}
                  onClick={() => set('source')(value)}
                  label={label}
                  n={numberOf(value)}
                />
              ))}
          </Chips>
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
          all="Every scope"
          value={search.campaign}
          choices={campaigns}
          onChange={set('campaign')}
        />
      </Filters>
      {search.phone && whole}
      {mayAct && chosen.length > 0 && (
        <div className="mb-2 flex flex-wrap items-center gap-3">
          <span>{counted(chosen.length, 'phone')} selected</span>
          <AllowCalls rows={chosen} words={`Allow calls to ${counted(chosen.length, 'phone')}`} small />
        </div>
      )}
      <Listing list={list} empty={isFiltered ? <NothingFound /> : <NoneYet />}>
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

/** Whether a phone is suppressed, where only one is looked for; else how many are. */
type WholeProps = {
  phone: string | undefined;
  rows: readonly Suppression[];
  hasMore: boolean;
};

function Whole({ phone, rows, hasMore }: WholeProps) {
  if (rows.length === 0) {
    if (!phone) return null;
    return (
      <Glance level="fine" title={`${phoneText(phone)} is not on the list.`}>
        No suppression stops a call to it; hours and contact rules still hold.
      </Glance>
    );
  }
  const [only] = rows;
  if (phone && rows.length === 1 && only?.phone)
    return (
      <Glance level="watch" title={`${phoneText(only.phone)} must not be called.`}>
        By {only.campaign ?? 'any campaign'}, <HeldUntil at={only.until} />
        {only.reason && `: ${only.reason}`}.
      </Glance>
    );
  const many = `${hasMore ? 'At least ' : ''}${counted(rows.length, 'phone is', 'phones are')}`;
  const ever = rows.some(({ campaign, until }) => campaign ?? until) ? 'not' : 'never';
  return (
    <div className="mt-1 mb-4">
      <p className="text-xl font-semibold tracking-[-0.01em]">
        {many} {ever} called.
      </p>
      <p className="text-quiet">{hasMore ? 'In the order of their phones.' : 'The newest first.'}</p>
    </div>
  );
}

function NothingFound() {
  return (
    <Empty title="Nobody on the list fits these filters">
      A phone is found in any form. With a scope, only phones that this one campaign may not call are shown.
    </Empty>
  );
}

function NoneYet() {
  return (
    <Empty title="Nobody is suppressed yet" command="carillon suppress import do-not-call.csv">
      Suppress who must not be called. It acts at once: no call to them begins any more. Who asks for no more
      calls in a call is added by an opt-out.
    </Empty>
  );
}
