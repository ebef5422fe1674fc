import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Commands } from '../../kit/commands.tsx';
import { Read, Trouble } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { count, counted } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { useNeeds } from '../../shell/needs.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { Lately } from '../activity/entry.tsx';
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
  const isUntold = items.length > 0 && addresses?.length === 0;
  /** What is wrong with each, if anything; and where that is settled. */
  const parts = [
    ['Contact rules', counts.noRules && 'none in force', '/policy', 'Choose the rules'],
    ['Keys', counts.closedKeys && `${count(counts.closedKeys)} closed`, '/keys', 'Open the keys'],
    ['Unknown calls', counts.unknown && `${count(counts.unknown)} to settle`, '/unknown', 'Settle them'],
    ['Webhooks', counts.downWebhooks && `${count(counts.downWebhooks)} down`, '/webhooks', 'See why'],
    ['Alerts', isUntold ? 'nobody is told' : counts.unsentAlerts && 'not sent', '/alerts', 'Say who is told'],
  ] as const;
  const well = [
    'Database',
    'Queue',
    'Clock',
    'Background work',
    ...parts.filter(([, ill]) => !ill).map(([name]) => name),
  ];
  const ill = parts.filter(([, words]) => words);
  const isBad = problem !== null || items.some(({ tone }) => tone === 'bad');
  const isFine = items.length + silent + ill.length === 0;
  const needs = items.length > 0 && (
    <PageLink to="/" className="link">
      {counted(items.length, 'thing needs', 'things need')} you
    </PageLink>
  );
  return (
    <>
      <PageHead
        title="Health"
        acts={
          mayAsk && (
            <Button onClick={() => void doctor.refetch()} busy={doctor.isFetching}>
              Run checks
            </Button>
          )
        }
      />
      <Glance
        level={isBad ? 'act' : isFine ? 'fine' : 'watch'}
        title={
          problem?.message ??
          (silent > 0 ? (
            `${counted(silent, 'process is', 'processes are')} silent.`
          ) : (
            <>
              {!isBad && 'Carillon works'}
              {!isBad && needs && '; '}
              {needs}.
            </>
          ))
        }
      >
        {problem ? <Commands text={problem.remedy ?? ''} /> : `Well: ${well.join(', ')}.`}
      </Glance>
      {doctor.error && <Trouble problem={doctor.error} />}
      {!problem && ill.length > 0 && (
        <ul className="mb-6 divide-y divide-line border-y border-line text-sm" aria-label="What is not well">
          {ill.map(([name, words, to, act]) => (
            <li
              key={name}
              className="grid min-h-9 grid-cols-[minmax(0,8rem)_minmax(0,10rem)_auto] justify-start items-center gap-x-4"
            >
              <span className="font-medium">{name}</span>
              <Badge state={states[name] ?? 'warning'} label={String(words)} />
              <PageLink to={to} className="link">
                {act}
              </PageLink>
            </li>
          ))}
        </ul>
      )}
      {doctor.data && (
        <Section id="examination" title="Keys, settings and webhooks" bare>
          <ul className="divide-y divide-line border-t border-line">
            {[...doctor.data.checks]
              .sort((a, b) => ranks.indexOf(b.state) - ranks.indexOf(a.state))
              .map(({ state, what, detail, remedy }) => (
                <li
                  key={`${what} ${detail}`}
                  className="grid min-h-9 grid-cols-[minmax(0,1fr)_4rem] items-center gap-x-4 py-1 text-sm sm:grid-cols-[9rem_4rem_minmax(0,1fr)]"
                >
                  <span className="font-medium">{what}</span>
                  <Badge {...looks[state]} />
                  <span className="text-quiet [overflow-wrap:anywhere] max-sm:col-span-2">
                    {detail}
                    {remedy && (
                      <span className="block text-text">
                        What to do: <Commands text={remedy} />
                      </span>
                    )}
                  </span>
                </li>
              ))}
          </ul>
        </Section>
      )}
      <History />
      <div className="grid grid-cols-1 items-start gap-x-10 xl:grid-cols-[1.55fr_1fr]">
        <Read of={processes}>{({ items: all }) => <Processes items={all} />}</Read>
        <Lately title="What happened" verb="alert,campaign,key,number,ledger,policy" />
      </div>
    </>
  );
}

const states: Record<string, string> = { Keys: 'critical', 'Unknown calls': 'unknown' };
const ranks: readonly string[] = ['ok', 'warn', 'fail'];
const looks = {
  ok: { state: 'open', label: 'ok' },
  warn: { state: 'warning', label: 'watch' },
  fail: { state: 'critical', label: 'fault' },
} as const;
