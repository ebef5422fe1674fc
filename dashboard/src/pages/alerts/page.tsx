import type { Alert, AlertAddress } from '../../api/ask.ts';
import { useAct, useAsk, useLive } from '../../data/queries.ts';
import { Badge } from '../../kit/basics.tsx';
import { FormDialog, SelectField, ShownOnce, TextField, useForm } from '../../kit/form.tsx';
import { Empty, Glance, type Level, Page, Section } from '../../kit/page.tsx';
import { showToast } from '../../kit/toast.tsx';
import { count, counted, spanText, timeText } from '../../kit/words.ts';
import { type Need, needOfAlert } from '../../shell/need.ts';
import { useNeeds } from '../../shell/needs.ts';
import { NeedsList } from '../../shell/needs-list.tsx';
import { Act, AskFirst, useOpens } from '../../shell/opens.tsx';
import { isTold } from '../../shell/reads.ts';
import { Lately } from '../activity/page.tsx';

/** What is on now and all that is watched, who is told of it, and whether it arrives. */
export function AlertsPage() {
  const addresses = useAsk('GET /api/alerts/addresses', {}, { everyMs: 5_000 });
  const alerts = useLive('GET /api/alerts', {}, { everyMs: 30_000, on: ['alert.'] });
  const raised = alerts.data?.items;
  // While something is on, what settles it comes first.
  const kind = raised?.length === 0 ? 'main' : 'plain';
  const [add, dialog] = useOpens({ words: 'Add an address', may: 'admin', kind }, (close) => (
    <AddAddress onClose={close} />
  ));
  const needs = useNeeds();
  if (!raised || !addresses.data)
    return <Page title="Alerts" of={alerts.error ? alerts : { ...addresses, data: undefined }} />;
  const { items } = addresses.data;
  const lines = linesOf(raised, needs.items);
  const [level, title, text] = standingOf(items, raised, lines);
  const isUnheard = isByProgram(items.filter(isTold));
  return (
    <Page title="Alerts" acts={!isUnheard && add}>
      {dialog}
      <Glance level={level} title={title} acts={isUnheard && add}>
        {text}
      </Glance>
      <NeedsList title="On now" items={lines} />
      <div className="grid grid-cols-1 items-start gap-x-10 lg:grid-cols-2">
        <Section title="Who is told" ruled>
          {items.length === 0 && (
            <Empty title="No address yet">
              Here stand the Slack channels, mailboxes and programs that are told.
            </Empty>
          )}
          <ul className="space-y-3">
            {items.toSorted(failingFirst).map((each) => (
              <Address key={each.id} of={each} />
            ))}
          </ul>
        </Section>
        <Lately title="Ended lately" verb="alert.clear" most={8} />
      </div>
      <p className="text-sm">
        <a href="/docs/reference/metrics.md#alerts" className="link">
          What is watched, and from when on it is told
        </a>
      </p>
    </Page>
  );
}

const isFailing = ({ state }: AlertAddress) => state === 'failing';
/** No person reads it, by mail or in Slack. */
const isByProgram = (told: readonly AlertAddress[]) => told.every(({ kind }) => kind === 'url');
const failingFirst = (a: AlertAddress, b: AlertAddress) => Number(isFailing(b)) - Number(isFailing(a));

function standingOf(
  all: readonly AlertAddress[],
  raised: readonly Alert[],
  lines: readonly Need[],
): [Level, string, (string | undefined)?] {
  const on = lines.length > 0 ? `${counted(lines.length, 'alert is', 'alerts are')} on` : 'Nothing is on';
  const failing = all.filter(isFailing).length;
  const items = all.filter(isTold);
  const where = failing === 1 ? 'one address' : counted(failing, 'address', 'addresses');
  if (failing > 0)
    return ['act', `Alerts do not reach ${where}.`, `${on}. What is held is sent when it is repaired.`];
  const isGrave = lines.some(({ tone }) => tone === 'bad');
  const level = isGrave ? 'act' : raised.length > 0 || items.length === 0 ? 'watch' : 'fine';
  if (items.length === 0)
    return [level, raised.length > 0 ? `${on}; nobody is told.` : 'Nobody is told of alerts.'];
  const only = isByProgram(items)
    ? 'Only a program is told: nobody hears of it by mail or in Slack.'
    : undefined;
  const sent = items.flatMap(({ sent_at: at }) => at ?? []);
  const told = sent.filter((at) => raised.some(({ since }) => since <= at)).toSorted();
  const [last] = told.slice(-1);
  const who = last
    ? `${counted(told.length, 'address was', 'addresses were')} last told at ${timeText(last)}`
    : `${counted(items.length, 'address is', 'addresses are')} told`;
  return [level, `${on}; ${who}.`, only];
}

/** As the overview has it where it does, with the same act. */
function linesOf(raised: readonly Alert[], needs: readonly Need[]): Need[] {
  const same = ({ code, subject }: Alert) =>
    needs.find(
      ({ id, of = [] }) =>
        id === `${code} ${subject}` ||
        (code.startsWith('key-') && (id === `key ${subject}` || id === 'every key')) ||
        (code === 'unknown-rising' && id === 'unknown') ||
        (code === 'campaign-stands' && of.includes(subject)),
    );
  const lines = raised
    .toSorted((a, b) => a.severity.localeCompare(b.severity))
    .map((each) => same(each) ?? needOfAlert(each));
  return [...new Set(lines)];
}

const kindWords = { slack: 'Slack', email: 'E-mail to', url: 'A program at', monitor: 'A monitor at' };

function Address({ of }: { of: AlertAddress }) {
  const {
    id,
    address,
    kind,
    state,
    only,
    at_most: most,
    reason,
    since,
    next_at: next,
    sent_at: at,
    held,
  } = of;
  const arrival = [
    reason !== null && `It fails${since ? ` since ${timeText(since)}` : ''}: ${reason}.`,
    reason === null &&
      (at ? `Last ${kind === 'monitor' ? 'asked' : 'sent'} at ${timeText(at)}.` : 'Nothing was sent yet.'),
    next && `The next message goes at ${timeText(next)}.`,
    of.failed > 0 && `${counted(of.failed, 'message')} failed.`,
    held > 0 && `${counted(held, 'alert waits', 'alerts wait')} for it.`,
  ];
  return (
    <li className="rounded-lg border border-line px-4 py-3 text-sm">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="text-base font-medium break-all" title={address}>
          {kindWords[kind]} {addressText(of)}
        </span>
        <Badge state={isFailing(of) ? 'failing' : 'open'} label={state} />
      </p>
      <p>
        {kind === 'monitor'
          ? 'asked each minute while calls can be made'
          : `${only?.join(', ') ?? 'every alert'}${most ? `, at most one message in ${spanText(most)}` : ', each at once'}`}
      </p>
      <p className={reason === null ? 'text-quiet' : 'font-medium text-warn [overflow-wrap:anywhere]'}>
        {arrival.filter(Boolean).join(' ')}
      </p>
      <div className="mt-2 flex gap-2">
        <Act
          may="operate"
          small
          name="POST /api/alerts/addresses/{id}/test"
          asked={{ id }}
          onDone={({ delivered, answer, error, ms }) => {
            if (delivered)
              showToast({ kind: 'done', text: `The test arrived in ${count(ms)} ms: ${answer}.` });
            else showToast({ kind: 'failed', text: `The test did not arrive: ${error}.` });
          }}
        >
          Test
        </Act>
        <AskFirst
          words="Remove"
          kind="quiet"
          may="admin"
          small
          title="Remove the address?"
          name="DELETE /api/alerts/addresses/{id}"
          asked={{ id }}
          done={() => 'The address is removed.'}
        >
          <p className="break-all">{address}</p>
          <p>
            It is {kind === 'monitor' ? 'not asked' : 'told of no alert'} any more
            {held > 0 && `, and ${counted(held, 'alert that waits is', 'alerts that wait are')} forgotten`}.
          </p>
        </AskFirst>
      </div>
    </li>
  );
}

/** Without its scheme, and without the mark of what is not shown. */
export const addressText = ({ address }: AlertAddress) => address.replace(/^https?:\/\/|\/•+$/g, '');

const kinds: readonly { value: AlertAddress['kind']; label: string; placeholder: string; help: string }[] = [
  {
    value: 'slack',
    label: 'Slack',
    placeholder: 'https://hooks.slack.com/services/...',
    help: 'The URL of an incoming webhook, which Slack gives for a channel. It is a secret, and kept as one.',
  },
  {
    value: 'email',
    label: 'E-mail',
    placeholder: 'ops@example.com',
    help: 'One mailbox. The server that sends is set by ALERT_SMTP_URL.',
  },
  {
    value: 'url',
    label: 'A program (signed events)',
    placeholder: 'https://example.com/alerts',
    help: 'It gets each alert as an event, signed as webhooks are.',
  },
  {
    value: 'monitor',
    label: 'A monitor that raises an alarm when Carillon stops',
    placeholder: 'https://hc-ping.com/your-uuid',
    help: 'It is asked each minute while calls can be made, and told of no alert. Let it wait three minutes.',
  },
];
/** People read one message in a while, a program takes each. */
const at = (kind: string) => (kind === 'url' || kind === 'monitor' ? '' : '15m');
const what = [
  { value: '', label: 'Every alert' },
  { value: 'critical', label: 'Critical only: nobody is called on a key, or by a process' },
];
/** `of`: the only kind that may be chosen. */
export function AddAddress({ of, onClose }: { of?: 'monitor' | undefined; onClose(): void }) {
  const add = useAct('POST /api/alerts/addresses', {
    quiet: true,
    done: ({ secret }) => (secret === null ? 'The address is added. Send it a test.' : null),
    onDone({ secret }) {
      if (secret === null) onClose();
    },
  });
  const first = of ?? 'slack';
  const { typed, set, field, frame } = useForm(
    { kind: first as string, address: '', only: '', at_most: at(first) },
    add,
  );
  const { value: kind, placeholder, help } = kinds.find(({ value }) => value === typed.kind)!;
  if (add.data?.secret) {
    return (
      <ShownOnce title="The address is added" secret={add.data.secret} onClose={onClose}>
        Your program checks the signature of each event with this secret, as Standard Webhooks says.
      </ShownOnce>
    );
  }
  const body = {
    kind,
    address: typed.address.trim(),
    only: typed.only === '' || kind === 'monitor' ? null : [typed.only as 'critical'],
    at_most: typed.at_most.trim() || null,
  };
  return (
    <FormDialog
      title={of ? `Add a ${of}` : 'Add an address'}
      onClose={onClose}
      act="Add"
      onSend={() => add.run({ body })}
      {...frame}
    >
      {!of && (
        <SelectField
          choices={kinds}
          {...field('kind', 'Kind')}
          onChange={({ target: { value } }) => set({ kind: value, at_most: at(value) })}
        />
      )}
      <TextField placeholder={placeholder} {...field('address', 'Address', help)} />
      {kind !== 'monitor' && (
        <>
          <SelectField
            choices={what}
            {...field('only', 'What', 'Single kinds of alerts are chosen on the command line, by --only.')}
          />
          <TextField
            placeholder="each at once"
            {...field(
              'at_most',
              'How often at most',
              'A span such as 15m, in which what comes is told together. A critical alert goes at once.',
            )}
          />
        </>
      )}
    </FormDialog>
  );
}
