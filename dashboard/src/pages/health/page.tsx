import type { Alert } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Commands } from '../../kit/commands.tsx';
import { Read, Trouble } from '../../kit/empty.tsx';
import { Fact, Facts } from '../../kit/facts.tsx';
import { Glance } from '../../kit/glance.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { count, counted } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { ofHealth } from '../../shell/need-alerts.ts';
import { useNeeds } from '../../shell/needs.ts';
import { NeedsList } from '../../shell/needs-list.tsx';
import { ActButton } from '../../shell/opens.tsx';
import { PageLink } from '../../shell/page-link.tsx';
import { Lately } from '../activity/entry.tsx';
import { isTold } from '../alerts/words.ts';
import { History } from './history.tsx';
import { Processes } from './processes.tsx';

/** Whether everything that calls depend on works: in one sentence; what is ill, and what settles it. */
export function HealthPage() {
  const mayAsk = useMay('operate');
  const ready = useAsk('GET /readyz', {}, { everyMs: 10_000 });
  const processes = useAsk('GET /api/processes', {}, { everyMs: 10_000 });
  // As `carillon doctor` does, by hand: it sends a request with each key.
  const doctor = useAsk('GET /api/doctor', {}, { enabled: false });
  const addresses = useAsk('GET /api/alerts/addresses', {}, { enabled: mayAsk }).data?.items;
  const { items, isKnown, counts } = useNeeds();
  // Not fine for a moment, and then not.
  if (ready.isPending || !(isKnown || ready.error))
    return <Opening title="Health" of={{ ...ready, data: undefined }} lines={6} />;
  const problem = ready.error;
  const silent = processes.data?.items.filter(({ alive }) => !alive).length ?? 0;
  const isUntold = items.length > 0 && addresses !== undefined && !addresses.some(isTold);
  // Where it is a number, it is told.
  const ill: Readonly<Record<string, number | boolean>> = {
    'Contact rules': counts.noRules,
    Keys: counts.closedKeys,
    'Unknown calls': counts.unknown,
    Webhooks: counts.downWebhooks,
    Alerts: counts.unsentAlerts || isUntold,
  };
  // The rest stands on the overview, with its acts.
  const own = items.filter(({ id }) => ofHealth.has(id.split(' ')[0] as Alert['code']));
  const isBad = problem !== null || own.some(({ tone }) => tone === 'bad');
  const needs = items.length > 0 && `${counted(items.length, 'thing needs', 'things need')} you`;
  const says =
    silent > 0
      ? `${counted(silent, 'process is', 'processes are')} silent.`
      : `${[!isBad && 'Carillon works', needs].filter(Boolean).join('; ')}.`;
  return (
    <>
      <PageHead
        title="Health"
        acts={
          <ActButton may="operate" onClick={() => void doctor.refetch()} busy={doctor.isFetching}>
            Run checks
          </ActButton>
        }
      />
      <Glance
        level={isBad ? 'act' : items.length + silent === 0 ? 'fine' : 'watch'}
        title={
          <>
            {problem?.message ?? says}{' '}
            {items.length > own.length && (
              <PageLink to="/" className="link text-sm font-normal text-quiet">
                See Overview
              </PageLink>
            )}
          </>
        }
      >
        {problem && <Commands text={problem.remedy ?? ''} />}
        {!problem && (
          <span className="mt-1 flex flex-wrap gap-x-5 gap-y-1">
            {parts.map(([part, to]) => {
              const of = ill[part];
              if (!of) return <Badge key={part} tone="quiet" state="done" label={part} />;
              return (
                <PageLink key={part} to={to ?? '/'} className="link">
                  <Badge
                    state={marks[part] ?? 'warning'}
                    label={typeof of === 'number' ? `${part} ${count(of)}` : part}
                  />
                </PageLink>
              );
            })}
          </span>
        )}
        {isUntold && !problem && ' Nobody is told of this by alerts.'}
      </Glance>
      {!problem && <NeedsList title="Machines and processes" items={own} />}
      {doctor.error && <Trouble problem={doctor.error} />}
      {doctor.data && (
        <Section id="examination" title="Keys, settings and webhooks" ruled>
          <Facts wide>
            {doctor.data.checks
              .toSorted((a, b) => ranks.indexOf(b.state) - ranks.indexOf(a.state))
              .map(({ state, what, detail, remedy }) => (
                <Fact key={`${what} ${detail}`} name={what}>
                  <Badge {...looks[state]} /> {detail} {remedy && <Commands text={`What to do: ${remedy}`} />}
                </Fact>
              ))}
          </Facts>
        </Section>
      )}
      <History />
      <Read of={processes}>{({ items: all }) => <Processes items={all} />}</Read>
      <Lately title="What happened" verb="alert,campaign,key,number,ledger,policy" />
    </>
  );
}

/** What calls depend on, and where what is ill is seen. */
const parts: readonly (readonly [string, place?: string])[] = [
  ...['Database', 'Queue', 'Clock', 'Background work'].map((part) => [part] as const),
  ['Contact rules', '/policy'],
  ['Keys', '/keys'],
  ['Unknown calls', '/unknown'],
  ['Webhooks', '/webhooks'],
  ['Alerts', '/alerts'],
];
const marks: Readonly<Record<string, string>> = { Keys: 'critical', 'Unknown calls': 'unknown' };
const ranks: readonly string[] = ['ok', 'warn', 'fail'];
const looks = {
  ok: { state: 'open', label: 'ok' },
  warn: { state: 'warning', label: 'watch' },
  fail: { state: 'critical', label: 'fault' },
} as const;
