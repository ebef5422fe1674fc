import type { ReactNode } from 'react';
import type { Settings } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Section } from '../../kit/card.tsx';
import { Fact, Facts } from '../../kit/facts.tsx';
import { Glance } from '../../kit/glance.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { classes, count, counted } from '../../kit/words.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { ServiceBrief, useService } from '../../shell/service.tsx';
import { firstMet, settingValue, settingWords, unsetText } from './words.ts';

/** The settings, as the process that answers has read them, and what it runs on. Secrets are never shown. */
type Setting = Settings['settings'][number];

const columns: readonly Column<Setting>[] = [
  {
    id: 'words',
    head: 'What it sets',
    cell: ({ name }) => <span className="block xl:w-60">{settingWords(name)}</span>,
  },
  {
    id: 'value',
    head: 'Value',
    cell: (setting) => (
      <span className="block xl:w-60">
        <Value of={setting} />
      </span>
    ),
  },
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
      <PageHead
        title="Settings"
        state={
          <span className="text-sm text-quiet max-sm:hidden">what Carillon was started with, read-only</span>
        }
      />
      <Shown of={settings.data} />
    </>
  );
}

function Shown({ of: { settings, versions, ledger, queue, processes, process } }: { of: Settings }) {
  const sorted = [...settings].sort((a, b) => firstMet(a.name, b.name));
  const [own, others] = [sorted.filter(({ set }) => set), sorted.filter(({ set }) => !set)];
  const [told, rest] = [
    others.filter(({ name }) => unsetText(name)),
    others.filter(({ name }) => !unsetText(name)),
  ];
  const findings = [...ledger.findings, ...queue.findings];
  // What all of them share stands in the note, not in each row.
  const sources = [...new Set(own.map(({ from }) => from ?? 'default'))];
  const table = (label: string, rows: readonly Setting[], shown: number): ReactNode => (
    <DataTable label={label} rows={rows} columns={columns.slice(0, shown)} keyOf={({ name }) => name} />
  );
  const ill = processes.filter(({ alive, trouble }) => alive && trouble !== null);
  return (
    <>
      <Glance
        level={ill.length > 0 ? 'act' : findings.length > 0 ? 'watch' : 'fine'}
        title={
          ill.length > 0
            ? `${counted(ill.length, 'process', 'processes')} must not dial.`
            : `${counted(own.length, 'setting is', 'settings are')} set by you; the other ${count(others.length)} have their defaults.`
        }
      >
        {ill.length > 0 ? 'Health says which, and why. ' : ''}
        {findings.join(' ') || 'Ledger and queue are set up as they should be.'}
      </Glance>
      <div className="grid grid-cols-1 items-start gap-x-10 xl:grid-cols-[1.55fr_1fr]">
        <div>
          <Section
            id="settings"
            title="Set by you"
            note={
              <span title={`As the process ${process} has read them`}>
                {sources.length === 1
                  ? `all from the ${sources[0]}: change them there`
                  : 'change each where it is read from'}
                , then restart
              </span>
            }
            bare
          >
            {table('Settings', own, sources.length === 1 ? 3 : 4)}
          </Section>
          <Section id="defaults" title="Not set" note="what holds instead; set the name to change it" bare>
            {table('Defaults', told, 3)}
            <details className="mt-3">
              <summary className="cursor-pointer text-sm text-quiet hover:text-text">
                {count(rest.length)} more
              </summary>
              {table('More defaults', rest, 3)}
            </details>
          </Section>
        </div>
        <div>
          <Section id="service" title="Voice service">
            <ServiceBrief address={!own.some(({ name }) => name === 'VOICE_BASE_URL')} />
          </Section>
          <Section
            id="runs"
            title="What it runs on"
            acts={
              <PageLink to="/health" className="text-sm text-quiet hover:underline">
                {counted(processes.length, 'process', 'processes')}: Health
              </PageLink>
            }
          >
            <Facts>
              <Fact name="Carillon">{versions.carillon}</Fact>
              <Fact name="Node">{versions.node}</Fact>
              <Fact name="Ledger">
                Postgres {versions.postgres},{' '}
                {ledger.kind === 'embedded' ? 'embedded' : 'a server of its own'}
              </Fact>
              <Fact name="Queue">{queue.kind === 'redis' ? 'Redis' : 'Postgres'}</Fact>
            </Facts>
          </Section>
        </div>
      </div>
    </>
  );
}

/** An address or a path is seldom what one looks for. */
const isPlace = /^(?:\w+:\/)?\/|^\d+\.\d+\./;

function Value({ of: { name, set, secret, value } }: { of: Setting }) {
  if (secret && set && !value) return <span className="text-quiet">set, and not shown</span>;
  if (value === null || value === '' || !set)
    return <span className="text-quiet">{unsetText(name) ?? (value || 'not set')}</span>;
  return (
    <span
      title={value}
      className={classes('[overflow-wrap:anywhere]', isPlace.test(value) ? 'text-quiet' : 'font-medium')}
    >
      {settingValue(name, value)}
    </span>
  );
}
