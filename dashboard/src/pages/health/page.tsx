import type { Alert } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Commands } from '../../kit/commands.tsx';
import { Read, Trouble } from '../../kit/empty.tsx';
import { Fact, Facts } from '../../kit/facts.tsx';
import { Glance } from '../../kit/glance.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { Time, timeText } from '../../kit/time.tsx';
import { counted, inRow } from '../../kit/words.ts';
import { ofHealth } from '../../shell/need-alerts.ts';
import { useNeeds } from '../../shell/needs.ts';
import { NeedsList } from '../../shell/needs-list.tsx';
import { ActButton } from '../../shell/opens.tsx';
import { PageLink } from '../../shell/page-link.tsx';
import { useNobodyTold } from '../../shell/told.ts';
import { Lately } from '../activity/entry.tsx';
import { History } from './history.tsx';
import { Processes } from './processes.tsx';

/** Whether everything that calls depend on works: one verdict, what it is made of, and what settles what is ill. */
export function HealthPage() {
  const ready = useAsk('GET /readyz', {}, { everyMs: 10_000 });
  const processes = useAsk('GET /api/processes', {}, { everyMs: 10_000 });
  // As `carillon doctor` does, by hand: it sends a request with each key.
  const doctor = useAsk('GET /api/doctor', {}, { enabled: false });
  const isUntold = useNobodyTold();
  const { items, isKnown } = useNeeds();
  // Not fine for a moment, and then not.
  if (ready.isPending || !(isKnown || ready.error))
    return <Opening title="Health" of={{ ...ready, data: undefined }} lines={6} />;
  const problem = ready.error;
  const silent = processes.data?.items.filter(({ alive }) => !alive).length ?? 0;
  const marks = parts.map(([part, of, to]) => {
    const need = items.find(({ id }) => of?.test(id));
    return { part, to, need, isIll: need !== undefined || (part === 'Alerts' && isUntold) };
  });
  const ill = marks.flatMap(({ part, isIll }) => (isIll ? part : []));
  // The rest stands on the overview, with its acts.
  const own = items.filter(({ id }) => ofHealth.has(id.split(' ')[0] as Alert['code']));
  const grave = own.find(({ tone }) => tone === 'bad');
  const verdict =
    grave?.what ??
    (silent > 0
      ? `${counted(silent, 'process is', 'processes are')} silent.`
      : ill.length > 0
        ? `Carillon works; look at ${inRow(ill).toLowerCase()}.`
        : 'Everything works.');
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
        level={problem || grave ? 'act' : ill.length + silent === 0 ? 'fine' : 'watch'}
        title={problem?.message ?? verdict}
      >
        {problem ? (
          <Commands text={problem.remedy ?? ''} />
        ) : (
          <span className="mt-1 flex flex-wrap gap-x-5 gap-y-1">
            {marks.map(({ part, to, need, isIll }) => {
              if (!isIll) return <Badge key={part} tone="quiet" state="done" label={part} />;
              const why = need ? need.since && ` since ${timeText(need.since)}` : ': nobody is told';
              return (
                <PageLink key={part} to={to ?? '/health'} className="link">
                  <Badge state={need ? tones[need.tone] : 'warning'} label={part + (why ?? '')} />
                </PageLink>
              );
            })}
            <span className="text-sm">
              checked <Time at={new Date(ready.dataUpdatedAt).toISOString()} seconds />
            </span>
          </span>
        )}
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

/** What calls depend on, the needs that tell that it is ill, and where that is seen. */
const parts: readonly (readonly [part: string, needs?: RegExp, place?: string])[] = [
  ['Database', /^(?:history-lost|disk-filling) /],
  ['Queue'],
  ['Clock', /^clock-off /],
  ['Background work', /^(?:loop-stuck|row-aside) /],
  ['Contact rules', /^(?:no rules|policy-differs )/, '/policy'],
  ['Keys', /^(?:every )?key /, '/keys'],
  ['Unknown calls', /^unknown$/, '/unknown'],
  ['Webhooks', /^webhook-down /, '/webhooks'],
  ['Alerts', /^alerts-unsent /, '/alerts'],
];
const tones = { bad: 'critical', odd: 'unknown', warn: 'warning' } as const;
const ranks: readonly string[] = ['ok', 'warn', 'fail'];
const looks = {
  ok: { state: 'open', label: 'ok' },
  warn: { state: 'warning', label: 'watch' },
  fail: { state: 'critical', label: 'fault' },
} as const;
