import { type ReactNode, useState } from 'react';
import type { Settings } from '../../api/ask.ts';
import { useAsk } from '../../data/queries.ts';
import { Command, Copy } from '../../kit/basics.tsx';
import { Filters, TextFilter } from '../../kit/filter.tsx';
import { Dialog } from '../../kit/form.tsx';
import { Empty, Glance, Page, Section } from '../../kit/page.tsx';
import { Link } from '../../kit/router.tsx';
import { cost, count, counted } from '../../kit/words.ts';
import { Opens } from '../../shell/opens.tsx';
import { useBudgets, useService } from '../../shell/reads.ts';
import { type Known, KnownRows, knownOf, ServiceActs } from '../../shell/service.tsx';
import {
  type Decided,
  decidedRow,
  groupOf,
  isFirst,
  isOpen,
  type Setting,
  settingValue,
  titles,
  useDecided,
  wordsOf,
} from './decided.tsx';

/** What is decided on the page, what is set where Carillon is started, and what it runs on. Secrets are never shown. */
export function SettingsPage() {
  const answer = useAsk('GET /api/settings', {}, { everyMs: 15_000 });
  // Drawn together, the page does not grow under the reader.
  const service = useService();
  const decided = useDecided(answer.data);
  const [find, setFind] = useState('');
  const day = useBudgets().data?.items.find(({ kind }) => kind === 'day');
  if (!answer.data || !decided || service.isPending)
    return <Page title="Settings" of={{ ...answer, data: undefined }} />;
  const { ledger, queue, settings } = answer.data;
  const first = settings.filter(isFirst);
  const risks = decided.filter(({ isRisk }) => isRisk).length + first.filter(isOpen).length;
  const findings = [...ledger.findings, ...queue.findings];
  const own = settings.filter(({ set }) => set).length;
  const isFound = ({ name, value }: Setting) =>
    [name, ...wordsOf(name), value].join(' ').toLowerCase().includes(find.toLowerCase());
  const shown = titles.flatMap((title, nth) => {
    const those = settings.filter((row) => groupOf(row.name) === title && isFound(row)).map(namedRow);
    if (find === '' && nth === titles.length - 1) those.push(machineOf(answer.data));
    return those.length > 0 ? [{ title, those }] : [];
  });
  return (
    <Page title="Settings">
      <Glance
        level={findings.length + risks > 0 ? 'watch' : 'fine'}
        title={
          risks > 0
            ? `${count(risks)} of the ${count(decided.length + first.length)} below ${risks === 1 ? 'is' : 'are'} a risk.`
            : 'Nothing here is a risk.'
        }
      >
        {findings.join(' ') ||
          `${count(own)} of the ${count(settings.length)} settings of its start are set; the others have their defaults.`}
      </Glance>
      <Section title="Decided here" note="a change holds at once">
        <KnownRows of={decided.toSorted(risksFirst).map(decidedRow)} />
      </Section>
      <Section title="Set where Carillon is started" note="a change holds from its next start">
        <KnownRows
          of={first.map((row) =>
            firstRow(
              row,
              row.name === 'VOICE_MAX_COST' && day ? `; today ${cost(day.spent, day.currency)}` : '',
            ),
          )}
        />
      </Section>
      <details>
        <summary className="mb-4 cursor-pointer text-sm text-quiet">
          All {count(settings.length)} settings with their names, the service and the machine
        </summary>
        <Filters>
          <TextFilter label="Find a setting" value={find} onChange={(text) => setFind(text ?? '')} />
        </Filters>
        {shown.length === 0 && <Empty title="No setting has that in its words or its name" />}
        {shown.map(({ title, those }) => (
          <Section key={title} title={title}>
            <KnownRows of={those} />
          </Section>
        ))}
        {find === '' && service.data && (
          <Section title="The service" acts={<ServiceActs inUse={service.data.name} />}>
            <KnownRows of={knownOf(service.data)} />
          </Section>
        )}
      </details>
    </Page>
  );
}

const risksFirst = (a: Decided, b: Decided) => Number(b.isRisk ?? false) - Number(a.isRisk ?? false);

function toldOf({ name, set, from, secret, value }: Setting): [is: string, follows: string] {
  const [, unset = 'not set'] = wordsOf(name);
  const [holds = unset, why] = unset.split(': ');
  if (!set) return [holds, ['default', why].filter(Boolean).join(' · ')];
  const own = value ? settingValue(name, value) : secret ? 'set, and not shown' : 'empty';
  const isTold = holds !== 'not set' && holds !== own;
  const where = `from ${from === 'environment' ? 'the environment' : from}`;
  return [own, isTold ? `${where} · by default: ${holds}` : where];
}

function rowOf(row: Setting, act: ReactNode, more = ''): Known {
  const [is, follows] = toldOf(row);
  const [name] = wordsOf(row.name);
  return decidedRow({ name, is: is + more, isRisk: isOpen(row), isDefault: !row.set, follows, act });
}

const firstRow = (row: Setting, more: string) =>
  rowOf(
    row,
    <Opens
      words="How to change"
      label={`How to change: ${wordsOf(row.name)[0]}`}
      may="operate"
      kind="quiet"
      small
    >
      {(close) => (
        <Dialog title={wordsOf(row.name)[0]} onClose={close}>
          <p>
            Now: {toldOf(row).join(', ')}. Change the line{' '}
            {row.from === 'environment' ? 'in the environment' : 'in .env'}, and start Carillon again; calls
            in progress go on meanwhile.
          </p>
          <Command>{`${row.name}=${row.value ?? ''}`}</Command>
          <a href="/docs/reference/configuration.md" className="link text-sm">
            What it takes
          </a>
        </Dialog>
      )}
    </Opens>,
    more,
  );

const namedRow = (row: Setting) =>
  rowOf(
    row,
    <span className="-mr-2 [&_button]:font-mono [&_button]:text-[11px] [&_button]:font-normal">
      <Copy text={row.name} label={row.name} />
    </span>,
  );

const machineOf = ({ versions, ledger, queue, processes }: Settings): Known => [
  'What runs',
  `Carillon ${versions.carillon} on Node ${versions.node}; the ledger is ${ledger.kind === 'embedded' ? 'embedded' : 'a server of its own'}, with Postgres ${versions.postgres}; the queue is in ${queue.kind === 'redis' ? 'Redis' : 'it too'}`,
  <Link key="health" to="/health">
    Health of {counted(processes.length, 'process', 'processes')}
  </Link>,
];
