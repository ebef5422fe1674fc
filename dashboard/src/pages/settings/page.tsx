import type { ReactNode } from 'react';
import type { Settings } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { OutcomeMark } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Command, Copy } from '../../kit/copy.tsx';
import { Glance } from '../../kit/glance.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { classes, count, counted } from '../../kit/words.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { ServiceBrief, useService } from '../../shell/service.tsx';
import { groupOf, groups, risksOf, settingValue, wordsOf } from './words.ts';

/** The settings by subject, as the process that answers has read them, and what it runs on. Secrets are never shown. */
type Setting = Settings['settings'][number];

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
  const findings = [...ledger.findings, ...queue.findings];
  const rows = settings.filter(({ name }) => !risks.some(({ line }) => line.startsWith(`${name}=`)));
  const shown = Object.keys(groups).map((title) => ({
    title,
    of: rows.filter(({ name }) => groupOf(name) === title),
  }));
  const own = rows.filter(({ set }) => set).length;
  return (
    <>
      <Glance
        level={findings.length + risks.length > 0 ? 'watch' : 'fine'}
        title={
          risks.length > 0
            ? `${counted(risks.length, 'default is', 'defaults are')} a risk.`
            : `${counted(own, 'setting is', 'settings are')} yours; the other ${count(rows.length - own)} have their defaults.`
        }
      >
        {findings.join(' ')} {risks.length > 0 ? 'Put their lines' : 'Put what you change'} into .env or the
        environment, and start Carillon again.
      </Glance>
      {risks.length > 0 && (
        <ul aria-label="Defaults that are a risk" className="mb-6 divide-y divide-line border-y border-line">
          {risks.map(({ title, means, line, guide: [page, name] }) => (
            <li key={line} className="grid items-center gap-x-10 gap-y-1 py-2 xl:grid-cols-2">
              <div className="flex items-baseline gap-2.5">
                <OutcomeMark state="warning" />
                <p className="text-sm text-quiet">
                  <span className="block text-base font-medium text-text">{title}</span>
                  {means}{' '}
                  <a href={`/docs/guides/${page}`} className="link whitespace-nowrap">
                    {name}
                  </a>
                </p>
              </div>
              <Command>{line}</Command>
            </li>
          ))}
        </ul>
      )}
      <div className="grid grid-cols-1 items-start gap-x-10 xl:grid-cols-2">
        {[shown.slice(0, 1), shown.slice(1)].map((side, nth) => (
          <div key={side[0]!.title}>
            {side.map((group) => (
              <Group key={group.title} {...group}>
                {nth === 0 && <ServiceBrief address={false} isWhole />}
                {group === shown.at(-1) && (
                  <>
                    Carillon {versions.carillon} on Node {versions.node}. The ledger is{' '}
                    {ledger.kind === 'embedded' ? 'embedded' : 'a server of its own'}, with Postgres{' '}
                    {versions.postgres}. The queue is in {queue.kind === 'redis' ? 'Redis' : 'it too'}.{' '}
                    <PageLink to="/health" className="link whitespace-nowrap">
                      Health of {counted(processes.length, 'process', 'processes')}
                    </PageLink>
                  </>
                )}
              </Group>
            ))}
          </div>
        ))}
      </div>
    </>
  );
}

/** What was set stands first; the rest is folded. */
type GroupProps = { title: string; of: readonly Setting[]; children: ReactNode };

function Group({ title, of, children }: GroupProps) {
  const own = of.filter(({ set }) => set);
  const rest = of.filter(({ set }) => !set);
  return (
    <Section id={title.replaceAll(/\W+/g, '-')} title={title}>
      <div className="mb-2 text-sm empty:hidden">{children}</div>
      <Lines of={own} />
      <details className={classes('text-sm', own.length > 0 && 'border-t border-line pt-2')}>
        <summary className="w-max text-quiet hover:text-text">
          {counted(rest.length, own.length > 0 ? 'more' : 'setting', own.length > 0 ? 'more' : 'settings')} at{' '}
          {rest.length === 1 ? 'its default' : 'their defaults'}
        </summary>
        <Lines of={rest} />
      </details>
    </Section>
  );
}

/** Each in its words; its name is copied by a press. */
const Lines = ({ of }: { of: readonly Setting[] }) => (
  <ul className="divide-y divide-line text-sm">
    {of.map(({ name, set, secret, value }) => {
      const [sets, unset = 'not set'] = wordsOf(name);
      return (
        <li
          key={name}
          className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 py-1 sm:grid-cols-[13rem_minmax(0,1fr)_auto]"
        >
          <span className="text-quiet">{sets}</span>
          <span
            className={classes(
              '[overflow-wrap:anywhere] max-sm:order-last max-sm:col-span-2',
              set ? 'font-medium' : 'text-quiet',
            )}
          >
            {!set ? unset : value ? settingValue(name, value) : secret ? 'set, and not shown' : 'empty'}
          </span>
          <span className="-mr-2 [&_button]:font-mono [&_button]:text-[11px] [&_button]:font-normal">
            <Copy text={name} label={name} />
          </span>
        </li>
      );
    })}
  </ul>
);
