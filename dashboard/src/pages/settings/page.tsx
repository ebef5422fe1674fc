import type { Settings } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { OutcomeMark } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Fact, Facts } from '../../kit/facts.tsx';
import { Glance } from '../../kit/glance.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { type Column, DataTable, left } from '../../kit/table/data-table.tsx';
import { classes, count, counted } from '../../kit/words.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { ServiceBrief, useService } from '../../shell/service.tsx';
import { firstMet, risksOf, settingValue, settingWords, unsetText } from './words.ts';

/** The settings, as the process that answers has read them, and what it runs on. Secrets are never shown. */
type Setting = Settings['settings'][number] & { isRisk: boolean };

const columns: readonly Column<Setting>[] = [
  left('words', 'What it sets', ({ name, set }) => (
    <span className={classes('block xl:w-60', set && 'font-medium')}>{settingWords(name)}</span>
  )),
  left('value', 'Value', (setting) => <Value of={setting} />),
  left(
    'name',
    'Name',
    ({ name, from }) => (
      <span className="font-mono text-xs break-all text-quiet xl:whitespace-nowrap" title={from ?? 'default'}>
        {name}
      </span>
    ),
    { from: 'sm' },
  ),
];

export function SettingsPage() {
  const settings = useAsk('GET /api/settings', {}, { everyMs: 15_000 });
  // The service stands beside the settings: drawn together, it does not move them.
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

function Shown({ of: { settings, versions, ledger, queue, processes } }: { of: Settings }) {
  const risks = risksOf(settings);
  const rows = settings
    .map((each) => ({ ...each, isRisk: risks.has(each.name) }))
    .sort((a, b) => firstMet(a.name, b.name));
  const own = rows.filter(({ set }) => set);
  const others = rows.filter(({ set }) => !set);
  const met = others.filter(({ name }) => unsetText(name) !== undefined);
  met.sort((a, b) => Number(b.isRisk) - Number(a.isRisk));
  const rest = others.filter(({ name }) => unsetText(name) === undefined);
  const findings = [...ledger.findings, ...queue.findings];
  // Where all of them are read from, which each has in its title.
  const sources = [...new Set(own.map(({ from }) => from ?? 'default'))];
  const ill = processes.filter(({ alive, trouble }) => alive && trouble !== null);
  return (
    <>
      <Glance
        level={ill.length > 0 ? 'act' : findings.length + risks.size > 0 ? 'watch' : 'fine'}
        title={
          ill.length > 0
            ? `${counted(ill.length, 'process', 'processes')} must not dial.`
            : risks.size > 0
              ? [...risks.values()].join(' ')
              : `${counted(own.length, 'setting is', 'settings are')} set; the other ${count(others.length)} have their defaults.`
        }
      >
        {ill.length > 0 ? 'Health says which, and why. ' : ''}
        {risks.size > 0 && `Not set: ${[...risks.keys()].join(' and ')}. `}
        {findings.join(' ')}
      </Glance>
      <div className="grid grid-cols-1 items-start gap-x-10 xl:grid-cols-[1.55fr_1fr]">
        <Section
          id="settings"
          title={`Set by the ${sources.join(' and the ')}`}
          note="change it there, then restart"
          bare
        >
          <DataTable
            label="Settings"
            rows={[...own, ...met, ...rest]}
            columns={columns}
            keyOf={({ name }) => name}
            headOf={(row) =>
              row === met[0] ? 'Not set: what holds instead' : row === rest[0] && 'Not set, and seldom needed'
            }
          />
        </Section>
        <div className="text-sm">
          <Section id="service" title="Voice service">
            <ServiceBrief address={!own.some(({ name }) => name === 'VOICE_BASE_URL')} isWhole />
          </Section>
          <Section
            id="runs"
            title="What it runs on"
            acts={
              <PageLink to="/health" className="text-sm text-quiet hover:underline">
                Health of {counted(processes.length, 'process', 'processes')}
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

function Value({ of: { name, set, secret, value, isRisk } }: { of: Setting }) {
  if (secret && set && !value) return <span className="text-quiet">set, and not shown</span>;
  if (value === null || value === '' || !set)
    return (
      <span className={isRisk ? 'inline-flex items-center gap-1.5 text-warn' : 'text-quiet'}>
        {isRisk && <OutcomeMark state="warning" />}
        {unsetText(name) ?? (value || 'not set')}
      </span>
    );
  return (
    <span title={value} className="font-medium [overflow-wrap:anywhere]">
      {settingValue(name, value)}
    </span>
  );
}
