import { alertKinds } from '../../api/alert-kinds.ts';
import type { Alert, AlertAddress } from '../../api/description.ts';
import { useAct, useAsk } from '../../data/queries.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge, Mark, OutcomeMark } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Commands } from '../../kit/commands.tsx';
import { Glance, type Level } from '../../kit/glance.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { type Column, DataTable, left } from '../../kit/table/data-table.tsx';
import { timeText } from '../../kit/time.tsx';
import { showToast } from '../../kit/toast.tsx';
import { count, counted, spanText } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { AskFirst, useOpens } from '../../shell/opens.tsx';
import { PageLink } from '../../shell/page-link.tsx';
import { Lately } from '../activity/entry.tsx';
import { placeOfAlert } from '../activity/places.ts';
import { AddAddress } from './add.tsx';

/** What is on now and all that is watched, who is told of it, and whether it arrives. */
export function AlertsPage() {
  const addresses = useAsk('GET /api/alerts/addresses', {}, { everyMs: 5_000 });
  const alerts = useLive('GET /api/alerts', {}, { everyMs: 30_000, on: ['alert.'] });
  const [add, dialog] = useOpens({ words: 'Add an address', may: 'admin', kind: 'main' }, (close) => (
    <AddAddress onClose={close} />
  ));
  const raised = alerts.data?.items;
  if (!raised || !addresses.data)
    return <Opening title="Alerts" of={alerts.error ? alerts : { ...addresses, data: undefined }} />;
  const { items } = addresses.data;
  const isNobodyTold = items.length === 0;
  const [level, title, text] = standingOf(items, raised);
  return (
    <>
      <PageHead title="Alerts" acts={!isNobodyTold && add} />
      {dialog}
      <Glance level={level} title={title} acts={isNobodyTold && add}>
        {text}
      </Glance>
      <div className="grid grid-cols-1 items-start gap-x-10 xl:grid-cols-[minmax(0,1.55fr)_minmax(0,1fr)]">
        <Section id="watched" title="What is watched" note="a triangle stops calls" bare>
          <DataTable
            label="What is watched"
            rows={linesOf(raised)}
            columns={columns}
            keyOf={({ code, on }) => `${code} ${on?.subject}`}
          />
        </Section>
        <div>
          {!isNobodyTold && (
            <Section id="told" title="Who is told">
              <ul className="divide-y divide-line">
                {[...items]
                  .sort((a, b) => Number(isFailing(b)) - Number(isFailing(a)))
                  .map((each) => (
                    <Address key={each.id} of={each} />
                  ))}
              </ul>
            </Section>
          )}
          <Lately title="Over lately" verb="alert.clear" most={8} />
        </div>
      </div>
    </>
  );
}

const isFailing = ({ state }: AlertAddress) => state === 'failing';

function standingOf(items: readonly AlertAddress[], raised: readonly Alert[]): [Level, string, string?] {
  const on = raised.length === 0 ? 'Nothing is on' : `${counted(raised.length, 'alert is', 'alerts are')} on`;
  const failing = items.filter(isFailing).length;
  if (failing > 0) {
    const where = failing === 1 ? 'one address' : counted(failing, 'address', 'addresses');
    return ['act', `Alerts do not reach ${where}.`, `${on}. What is held is sent when it is repaired.`];
  }
  const level = raised.some(({ severity }) => severity === 'critical')
    ? 'act'
    : raised.length > 0
      ? 'watch'
      : 'fine';
  if (items.length > 0)
    return [level, `${on}; ${counted(items.length, 'address is', 'addresses are')} told.`];
  const add = 'Add a Slack channel, an e-mail address or a program of yours.';
  return [
    level === 'fine' ? 'watch' : level,
    raised.length > 0 ? `${on}; nobody is told.` : 'Nobody is told of alerts.',
    add,
  ];
}

/** A kind of alert, or one that is on. */
type Line = { code: Alert['code']; severity: Alert['severity']; on?: Alert };

/** Alerts that are on stand first; among them and among the others, the critical ones do. */
function linesOf(raised: readonly Alert[]): Line[] {
  const off = (Object.keys(alertKinds) as Alert['code'][])
    .filter((code) => !raised.some((alert) => alert.code === code))
    .map((code): Line => ({ code, severity: alertKinds[code].severity }));
  const on = raised.map((alert): Line => ({ code: alert.code, severity: alert.severity, on: alert }));
  const gravestFirst = (a: Line, b: Line) =>
    Number(b.severity === 'critical') - Number(a.severity === 'critical');
  return [...on.sort(gravestFirst), ...off.sort(gravestFirst)];
}

const columns: readonly Column<Line>[] = [
  left('what', 'What', ({ code, severity, on }) => (
    <div className="flex items-baseline gap-2.5">
      <span title={severity} className="w-3 shrink-0 text-quiet">
        {on ? <OutcomeMark state={severity} /> : severity === 'critical' && <Mark shape="up" />}
      </span>
      {on ? <OnNow of={on} /> : alertKinds[code].title}
    </div>
  )),
  left(
    'when',
    'Raised',
    ({ code }) => <span className="whitespace-nowrap">{alertKinds[code].when ?? 'at once'}</span>,
    { from: 'sm' },
  ),
  left(
    'state',
    'Now',
    ({ on }) => on && <span className="whitespace-nowrap text-warn">on since {timeText(on.since)}</span>,
    { has: ({ on }) => on !== undefined },
  ),
];

function OnNow({ of }: { of: Alert }) {
  const place = placeOfAlert(of);
  return (
    <div className="py-1.5">
      <p className="font-medium">{of.title}</p>
      <p>{of.message}.</p>
      <p className="text-quiet">
        <Commands text={of.remedy} />{' '}
        {place && (
          <PageLink to={place.to} className="link text-text">
            {place.words}
          </PageLink>
        )}
      </p>
    </div>
  );
}

const kindWords = { slack: 'Slack', email: 'e-mail', url: 'a program' };

/** An address in a few lines: what it is told, whether that arrives, and its acts. */
function Address({ of }: { of: AlertAddress }) {
  const { address, kind, state, only, at_most: most, reason, since, next_at: next, sent_at: at } = of;
  const arrival = [
    reason !== null && `It fails${since ? ` since ${timeText(since)}` : ''}: ${reason}.`,
    reason === null && at && `Last sent at ${timeText(at)}.`,
    next && `The next message goes at ${timeText(next)}.`,
  ];
  return (
    <li className="space-y-1 pb-3 not-first:pt-3">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium break-all">{address}</span>
        <span className="text-quiet">{kindWords[kind]}</span>
        <Badge state={isFailing(of) ? 'failing' : 'open'} label={state} />
      </p>
      <p className="text-quiet">
        {only?.join(', ') ?? 'every alert'}
        {most ? `, at most one message in ${spanText(most)}` : ', each at once'}
      </p>
      <p className={reason === null ? 'text-quiet' : 'font-medium text-warn [overflow-wrap:anywhere]'}>
        {arrival.filter(Boolean).join(' ')}
      </p>
      <p className="text-sm text-quiet">
        {count(of.sent)} sent, {count(of.failed)} failed, {count(of.held)} held
      </p>
      <div className="flex gap-2">
        <Test of={of} />
        <Remove of={of} />
      </div>
    </li>
  );
}

function Test({ of: { id } }: { of: AlertAddress }) {
  const mayTest = useMay('operate');
  const test = useAct('POST /api/alerts/addresses/{id}/test', {
    onDone({ delivered, answer, error, ms }) {
      if (delivered) showToast({ kind: 'done', text: `The test arrived in ${count(ms)} ms: ${answer}.` });
      else showToast({ kind: 'failed', text: `The test did not arrive: ${error}.` });
    },
  });
  if (!mayTest) return null;
  return (
    <Button small busy={test.isPending} onClick={() => test.run({ params: { id } })}>
      Test
    </Button>
  );
}

function Remove({ of: { id, address, held } }: { of: AlertAddress }) {
  const remove = useAct('DELETE /api/alerts/addresses/{id}', {
    quiet: true,
    done: () => 'The address is removed.',
  });
  return (
    <AskFirst
      words="Remove"
      may="admin"
      small
      title="Remove the address?"
      act="Remove"
      of={remove}
      onAct={() => remove.mutateAsync({ params: { id } })}
    >
      <p className="break-all">{address}</p>
      <p>
        It is told of no alert any more
        {held > 0 && `, and ${counted(held, 'alert that waits is', 'alerts that wait are')} forgotten`}.
      </p>
    </AskFirst>
  );
}
