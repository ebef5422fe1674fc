import { type ReactNode, useState } from 'react';
import type { ServiceInUse, Settings } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { OutcomeMark } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Chip, Chips } from '../../kit/chips.tsx';
import { Command, Copy } from '../../kit/copy.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Filters, TextFilter } from '../../kit/filter.tsx';
import { Glance } from '../../kit/glance.tsx';
import { keep, readKept } from '../../kit/kept.ts';
import { Opening, PageHead } from '../../kit/page.tsx';
import { count, counted } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { type Known, KnownRows, knownOf, ServiceActs, useService } from '../../shell/service.tsx';
import { ChangeKeep } from './keep.tsx';
import {
  groupOf,
  installed,
  keepDays,
  risksOf,
  type Setting,
  settingsOf,
  settingValue,
  titles,
  wordsOf,
} from './words.ts';

/** The settings by subject, as the process that answers has read them, and what it runs on. Secrets are never shown. */
const place = 'carillon.setting-names';

export function SettingsPage() {
  const settings = useAsk('GET /api/settings', {}, { everyMs: 15_000 });
  // The service stands below the settings: drawn together, the page does not grow under the reader.
  const service = useService();
  if (!settings.data || service.isPending) return <Opening title="Settings" of={settings} />;
  return (
    <>
      <PageHead
        title="Settings"
        state={
          <span className="text-sm text-quiet max-sm:hidden">most are set where Carillon is started</span>
        }
      />
      <Shown of={settings.data} service={service.data} />
    </>
  );
}

function Shown({ of, service }: { of: Settings; service: ServiceInUse | undefined }) {
  const { keep: kept, ledger, queue } = of;
  const settings = settingsOf(of);
  const mayKeep = useMay('admin') && kept.from === 'ledger';
  const [find, setFind] = useState('');
  const [isAll, setAll] = useState(false);
  const [isNamed, setNamed] = useState(readKept(place) !== null);
  const risks = risksOf(settings);
  const findings = [...ledger.findings, ...queue.findings];
  const own = settings.filter(({ set }) => set).length;
  const isWhole = find === '';
  // Whoever looks for one means the defaults too.
  const isShown = ({ name, set, value }: Setting) =>
    isWhole
      ? set || isAll
      : [name, ...wordsOf(name), value].join(' ').toLowerCase().includes(find.toLowerCase());
  const shown = titles.flatMap((title, nth) => {
    const those = settings
      .filter((row) => groupOf(row.name) === title && isShown(row))
      .map((row) =>
        rowOf(
          row,
          isNamed || !isWhole,
          row.name === keepDays && row.set && mayKeep && <ChangeKeep days={kept.days} act="Change" />,
        ),
      );
    if (isWhole && nth === titles.length - 1) those.push(machineOf(of));
    return those.length > 0 ? [{ title, those }] : [];
  });
  return (
    <>
      <Glance
        level={findings.length + risks.length > 0 ? 'watch' : 'fine'}
        title={
          risks.length > 0
            ? `${counted(risks.length, 'default is', 'defaults are')} a risk.`
            : `${counted(own, 'setting is', 'settings are')} yours; the other ${count(settings.length - own)} have their defaults.`
        }
      >
        {findings.join(' ')}
      </Glance>
      {risks.length > 0 && (
        <KnownRows
          label="Defaults that are a risk"
          of={risks.map(({ name, title, means, guide: [page, words], ...more }) => [
            <b key="risk" className="flex items-baseline gap-2 font-medium text-text">
              <OutcomeMark state="warning" /> {title}
            </b>,
            <span key="means" className="text-quiet">
              {means}{' '}
              <a href={`/docs/guides/${page}`} className="link whitespace-nowrap">
                {words}
              </a>
            </span>,
            'line' in more ? (
              <Command key="act">{more.line}</Command>
            ) : (
              name === keepDays && mayKeep && <ChangeKeep key="act" days={null} act="Choose how long" />
            ),
          ])}
        />
      )}
      <Filters
        before={
          <Chips label="Which settings">
            <Chip on={!isAll} onClick={() => setAll(false)} label="Changed from their defaults" n={own} />
            <Chip on={isAll} onClick={() => setAll(true)} label="All" n={settings.length} />
          </Chips>
        }
      >
        <TextFilter label="Find a setting" value={find} onChange={(text) => setFind(text ?? '')} />
        <Chip
          on={isNamed}
          onClick={() => {
            setNamed(!isNamed);
            keep(place, isNamed ? null : 'shown');
          }}
          label="Show names"
        />
      </Filters>
      {shown.length === 0 && <Empty title="No setting has that in its words or its name" />}
      {shown.filter(({ title }) => !installed.includes(title)).map(groupShown)}
      {/* An operator changes nothing of it. */}
      <details open={isAll || isNamed || !isWhole}>
        <summary className="mb-4 cursor-pointer text-sm text-quiet">
          How Carillon is installed: its service, keys and machine
        </summary>
        {shown.filter(({ title }) => installed.includes(title)).map(groupShown)}
        {isWhole && service && (
          <Section id="service" title="The service" acts={<ServiceActs inUse={service.name} />}>
            <KnownRows of={knownOf(service)} />
          </Section>
        )}
      </details>
    </>
  );
}

const groupShown = ({ title, those }: { title: string; those: Known[] }) => (
  <Section key={title} id={title.replaceAll(/\W+/g, '-')} title={title}>
    <KnownRows of={those} />
  </Section>
);

/** What holds, and whence it has it; the name is shown when the viewer asks for names, and a press copies it. */
function rowOf({ name, set, from, secret, value }: Setting, isNamed: boolean, act: ReactNode): Known {
  const [sets, unset = 'not set'] = wordsOf(name);
  const [holds, why] = unset.split(': ');
  const own = value ? settingValue(name, value) : secret ? 'set, and not shown' : 'empty';
  const where = from ? `from ${from === '.env' ? from : 'the environment'}` : 'set here';
  const told = set
    ? [where, holds !== 'not set' && holds !== own && `by default: ${holds}`]
    : ['default', why];
  return [
    sets,
    <span key="is" className={set ? 'font-medium' : undefined}>
      {set ? own : holds}
    </span>,
    <span key="from" className="flex items-center justify-between gap-3">
      {told.filter(Boolean).join(' · ')}
      {act}
      {isNamed && (
        <span className="-mr-2 [&_button]:font-mono [&_button]:text-[11px] [&_button]:font-normal">
          <Copy text={name} label={name} />
        </span>
      )}
    </span>,
  ];
}

const machineOf = ({ versions, ledger, queue, processes }: Settings): Known => [
  'What runs',
  `Carillon ${versions.carillon} on Node ${versions.node}; the ledger is ${ledger.kind === 'embedded' ? 'embedded' : 'a server of its own'}, with Postgres ${versions.postgres}; the queue is in ${queue.kind === 'redis' ? 'Redis' : 'it too'}`,
  <PageLink key="health" to="/health">
    Health of {counted(processes.length, 'process', 'processes')}
  </PageLink>,
];
