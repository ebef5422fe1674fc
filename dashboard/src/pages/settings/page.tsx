import type { Settings } from '../../api/description.ts';
import { useAsk } from '../../api/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Card, Section } from '../../kit/card.tsx';
import { Loading, Trouble } from '../../kit/empty.tsx';
import { PageHead } from '../../kit/page.tsx';
import { Stat, Stats } from '../../kit/stat.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { count, counted } from '../../kit/words.ts';
import { Processes } from '../../shell/processes.tsx';
import { Abilities, ServiceChoice, useService } from '../../shell/service.tsx';
import { ServiceCheck } from '../../shell/service-check.tsx';

/** The settings, as the process that answers has read them, and what it runs on. Secrets are never shown. */
type Setting = Settings['settings'][number];

const columns: readonly Column<Setting>[] = [
  { id: 'name', head: 'Setting', cell: ({ name }) => <span className="font-mono break-all">{name}</span> },
  { id: 'value', head: 'Value', cell: (setting) => <Value of={setting} /> },
  {
    id: 'from',
    head: 'From',
    from: 'sm',
    cell: ({ from }) => from ?? <span className="text-quiet">default</span>,
  },
];

export function SettingsPage() {
  const settings = useAsk('GET /api/settings', {}, { everyMs: 15_000 });
  // The service stands above the settings: drawn together, it does not move them.
  const service = useService();
  const isKnown = settings.data && !service.isPending;
  if (settings.error && !settings.data)
    return <Trouble problem={settings.error} retry={() => void settings.refetch()} />;
  return (
    <>
      <PageHead title="Settings">
        Set in the environment or in .env, and read when a process starts. They cannot be changed here.
      </PageHead>
      {!isKnown && <Loading lines={8} />}
      {isKnown && <Shown of={settings.data} />}
    </>
  );
}

function Shown({ of: { settings, versions, ledger, queue, processes, process } }: { of: Settings }) {
  const [own, others] = [settings.filter(({ set }) => set), settings.filter(({ set }) => !set)];
  return (
    <>
      <div className="mb-6">
        <Card>
          <Stats>
            <Stat name="Carillon">{versions.carillon}</Stat>
            <Stat name="Node">{versions.node}</Stat>
            <Stat name="Ledger" note={ledger.kind === 'embedded' ? 'embedded' : 'a server of its own'}>
              Postgres {versions.postgres}
            </Stat>
            <Stat name="Queue">{queue.kind === 'redis' ? 'Redis' : 'Postgres'}</Stat>
            <Stat name="Clock" note="ahead of the ledger’s">
              {count(ledger.clock_ahead_ms)} ms
            </Stat>
          </Stats>
          <Findings of={[...ledger.findings, ...queue.findings]} />
        </Card>
      </div>
      <ServicePart />
      <Section id="settings" title="Settings" bare>
        <p className="mb-2 text-quiet">
          As the process <span className="font-mono text-sm break-all">{process}</span> has read them.
        </p>
        <DataTable label="Settings" rows={own} columns={columns} keyOf={({ name }) => name} />
        <details className="mt-3">
          <summary className="cursor-pointer text-sm text-quiet hover:text-text">
            {counted(others.length, 'setting')} with the default
          </summary>
          <DataTable label="Defaults" rows={others} columns={columns} keyOf={({ name }) => name} />
        </details>
      </Section>
      <Processes items={processes} />
    </>
  );
}

function ServicePart() {
  const service = useService();
  if (service.error && !service.data)
    return <Trouble problem={service.error} retry={() => void service.refetch()} />;
  if (!service.data) return <Loading lines={4} />;
  const { title, name, base_url: address, extended } = service.data;
  return (
    <Section id="service" title={`Service: ${title}`}>
      <p className="mb-3 flex flex-wrap items-baseline gap-x-2">
        <code className="font-mono text-sm">VOICE_SERVICE={name}</code>
        <span className="text-quiet">at</span>
        <code className="font-mono text-sm break-all">{address}</code>
        {extended && <span className="text-quiet">, changed by the file of VOICE_PROFILE</span>}
      </p>
      <div className="space-y-4">
        <Abilities of={service.data} />
        <ServiceCheck />
        <details>
          <summary className="link">Choose another service</summary>
          <div className="mt-3">
            <ServiceChoice inUse={name} />
          </div>
        </details>
      </div>
    </Section>
  );
}

function Findings({ of: findings }: { of: readonly string[] }) {
  if (findings.length === 0) return null;
  return (
    <ul className="mt-3 space-y-1 border-t border-line pt-3">
      {findings.map((each) => (
        <li key={each} className="text-warn">
          {each}
        </li>
      ))}
    </ul>
  );
}

function Value({ of: { set, secret, value } }: { of: Setting }) {
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
  return <span className={set ? 'break-all' : 'break-all text-quiet'}>{value}</span>;
}
