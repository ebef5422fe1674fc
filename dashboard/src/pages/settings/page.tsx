import type { ReactNode } from 'react';
import type { Settings } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Glance } from '../../kit/glance.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { Stat, Stats } from '../../kit/stat.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { count, counted } from '../../kit/words.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { ServiceBrief, useService } from '../../shell/service.tsx';
import { settingValue, settingWords } from './words.ts';

/** The settings, as the process that answers has read them, and what it runs on. Secrets are never shown. */
type Setting = Settings['settings'][number];

const columns: readonly Column<Setting>[] = [
  { id: 'words', head: 'What it sets', cell: ({ name }) => settingWords(name) },
  { id: 'value', head: 'Value', cell: (setting) => <Value of={setting} /> },
  {
    id: 'name',
    head: 'Name',
    from: 'sm',
    cell: ({ name }) => <span className="font-mono text-xs break-all text-quiet">{name}</span>,
  },
  {
    id: 'from',
    head: 'Read from',
    from: 'lg',
    cell: ({ from }) => <span className="text-quiet">{from ?? 'default'}</span>,
  },
];

export function SettingsPage() {
  const settings = useAsk('GET /api/settings', {}, { everyMs: 15_000 });
  // The service stands above the settings: drawn together, it does not move them.
  const service = useService();
  if (!settings.data || service.isPending) return <Opening title="Settings" of={settings} />;
  return (
    <>
      <PageHead title="Settings" />
      <Shown of={settings.data} />
    </>
  );
}

function Shown({ of: { settings, versions, ledger, queue, processes, process } }: { of: Settings }) {
  const [own, others] = [settings.filter(({ set }) => set), settings.filter(({ set }) => !set)];
  const findings = [...ledger.findings, ...queue.findings];
  const table = (label: string, rows: readonly Setting[]): ReactNode => (
    <DataTable label={label} rows={rows} columns={columns} keyOf={({ name }) => name} />
  );
  const ill = processes.filter(({ alive, trouble }) => alive && trouble !== null);
  return (
    <>
      <Glance
        level={ill.length > 0 ? 'act' : findings.length > 0 ? 'watch' : 'fine'}
        title={
          ill.length > 0
            ? `${counted(ill.length, 'process', 'processes')} must not dial.`
            : `${counted(own.length, 'setting is', 'settings are')} yours, ${count(others.length)} are as they ship.`
        }
      >
        {ill.length > 0 ? 'Health says which, and why. ' : ''}
        {findings.join(' ') || 'Ledger and queue are set up as they should be.'}
      </Glance>
      <Section id="service" title="Voice service">
        <ServiceBrief address={!own.some(({ name }) => name === 'VOICE_BASE_URL')} />
      </Section>
      <Section
        id="settings"
        title="Yours"
        note={
          <span title={`As the process ${process} has read them`}>
            changed where each is read from, then restart
          </span>
        }
        bare
      >
        {table('Settings', own)}
        <details className="mt-3">
          <summary className="cursor-pointer text-sm text-quiet hover:text-text">
            {counted(others.length, 'setting')} with the default
          </summary>
          {table('Defaults', others)}
        </details>
      </Section>
      <Section
        id="runs"
        title="It runs on"
        acts={
          <PageLink to="/health" className="text-sm text-quiet hover:underline">
            {counted(processes.length, 'process', 'processes')}: Health
          </PageLink>
        }
      >
        <Stats>
          <Stat name="Carillon">{versions.carillon}</Stat>
          <Stat name="Node">{versions.node}</Stat>
          <Stat name="Ledger" note={ledger.kind === 'embedded' ? 'embedded' : 'a server of its own'}>
            Postgres {versions.postgres}
          </Stat>
          <Stat name="Queue">{queue.kind === 'redis' ? 'Redis' : 'Postgres'}</Stat>
        </Stats>
      </Section>
    </>
  );
}

function Value({ of: { name, set, secret, value } }: { of: Setting }) {
  if (secret && set) {
    return (
      <span className="flex flex-wrap items-center gap-2">
        <Badge state="open" label="set" />
        {value ? (
          <span className="break-all">{value}</span>
        ) : (
          <span className="text-quiet">secret, not shown</span>
        )}
      </span>
    );
  }
  if (value === null || value === '') return <span className="text-quiet">not set</span>;
  return (
    <span
      title={value}
      className={set ? 'font-medium [overflow-wrap:anywhere]' : 'text-quiet [overflow-wrap:anywhere]'}
    >
      {settingValue(name, value)}
    </span>
  );
}
