import { type ReactNode, useState } from 'react';
import type { AlertAddress, Settings } from '../../api/ask.ts';
import { useAsk, useDialogAct, useDryRun } from '../../data/queries.ts';
import { OutcomeMark } from '../../kit/basics.tsx';
import { FormDialog, SelectField } from '../../kit/form.tsx';
import { MoreLink } from '../../kit/router.tsx';
import { classes, count, counted, durationText } from '../../kit/words.ts';
import { numberOf, regionOf, rulesOf, rulesText, useHoursInForce } from '../../order/rules.ts';
import { Opens } from '../../shell/opens.tsx';
import { isTold, useMay } from '../../shell/reads.ts';
import type { Known } from '../../shell/service.tsx';
import { AddAddress, addressText } from '../alerts/page.tsx';

/** How long what people said is kept: chosen here, where the environment does not say it. */
const choices = [null, 30, 90, 180, 365, 730];
/** The API counts no further. */
const mostCounted = 100_000;

function KeepDialog({ days, onClose }: { days: number | null; onClose(): void }) {
  const [chosen, setChosen] = useState<number | null>(days ?? 90);
  const counting = useDryRun('PUT /api/keep', { body: { days: chosen, dry_run: true } });
  const set = useDialogAct(
    'PUT /api/keep',
    onClose,
    (now) =>
      `What people said is kept ${now.days === null ? 'for ever' : `for ${counted(now.days, 'day')}`}.`,
  );
  const people = counting.data?.people;
  return (
    <FormDialog
      title="How long is what people said kept?"
      onClose={onClose}
      act={people ? `Keep it so, and erase ${count(people)}` : 'Keep it so'}
      keep="Leave it as it is"
      danger={Boolean(people)}
      onSend={() => set.run({ body: { days: chosen, confirm: people! } })}
      busy={set.isPending}
      isEmpty={people === undefined || chosen === days}
      problem={counting.error ?? set.error}
    >
      <p>
        Names, transcripts, links of recordings and what was learned are erased that long after a person’s row
        has ended. The phone, the outcome and the cost stay, so nobody is called twice.
      </p>
      <SelectField
        label="Kept"
        value={chosen ?? ''}
        choices={[...new Set([...choices, days])].map((each) => ({
          value: String(each ?? ''),
          label: each === null ? 'for ever' : counted(each, 'day'),
        }))}
        onChange={({ currentTarget: { value } }) => setChosen(value === '' ? null : Number(value))}
      />
      <p className="font-medium" aria-live="polite">
        {people === undefined
          ? 'Counting …'
          : people === 0
            ? 'Nothing that is stored is older: nothing is erased now.'
            : `What ${counted(people, 'person', 'people')}${people < mostCounted ? '' : ' or more'} said is older and is erased now. It cannot be brought back.`}
      </p>
    </FormDialog>
  );
}

/** What is decided on pages, and holds at once: each with what it is, whether that is a risk, and its act. */
export type Decided = {
  name: string;
  is: string;
  isRisk?: boolean;
  isDefault?: boolean;
  follows?: ReactNode;
  act: ReactNode;
};

/** Undefined until all of it is known, so that no row moves another. */
export function useDecided(of: Settings | undefined): Decided[] | undefined {
  const [mayOperate, isAdmin] = [useMay('operate'), useMay('admin')];
  const policy = useAsk('GET /api/policy', {}).data;
  const addresses = useAsk('GET /api/alerts/addresses', {}, { enabled: mayOperate }).data?.items;
  const webhooks = useAsk('GET /api/webhooks', {}, { enabled: mayOperate }).data?.items;
  const bound = useHoursInForce();
  const tokens = useAsk('GET /api/tokens', {}, { enabled: isAdmin }).data?.items;
  if (!of || !policy || !bound || (mayOperate && !(addresses && webhooks)) || (isAdmin && !tokens))
    return undefined;
  const down = webhooks?.filter(({ state }) => state !== 'active').length ?? 0;
  const endless = tokens?.filter(({ ends_at: at }) => at === null).length ?? 0;
  const rules = numberOf(rulesOf(policy));
  const hours = bound.length > 0 && `the legal hours of ${bound.map(regionOf).join(' and ')}`;
  return [
    keptOf(of.keep),
    ...(addresses ? toldOf(addresses, of.settings) : []),
    elsewhere('/policy', 'Contact rules', 'Contact rules, for all campaigns', rules, {
      isRisk: rules === 0,
      follows:
        [hours, rulesText(rulesOf(policy))].filter(Boolean).join('; ') ||
        'A campaign without hours may call at night.',
    }),
    webhooks &&
      elsewhere('/webhooks', 'Webhooks', 'Programs that hear what happens', webhooks.length, {
        follows: down > 0 && `${counted(down, 'takes', 'take')} no events`,
      }),
    tokens &&
      elsewhere('/tokens', 'Tokens', 'People and programs with a token', tokens.length, {
        isRisk: endless > 0,
        follows: endless > 0 && `${count(endless)} without an end: what leaks works until it is revoked`,
      }),
  ].filter((row) => row !== undefined);
}

const elsewhere = (to: string, page: string, name: string, n: number, more: Partial<Decided>): Decided => ({
  name,
  is: n > 0 ? count(n) : 'none',
  act: <MoreLink to={to}>{page}</MoreLink>,
  ...more,
});

function keptOf({ days, from }: Settings['keep']): Decided {
  return {
    name: 'What people said is kept',
    is: days === null ? 'for ever' : `for ${counted(days, 'day')}`,
    isRisk: days === null,
    follows:
      from === 'environment' ? (
        'set where Carillon is started'
      ) : (
        <>
          Names, transcripts, links of recordings and what was learned can be erased when they are old.{' '}
          <Guide to="privacy.md">Privacy</Guide>
        </>
      ),
    act: from === 'ledger' && (
      <Opens words={days === null ? 'Choose how long' : 'Change'} may="admin" small>
        {(close) => <KeepDialog days={days} onClose={close} />}
      </Opens>
    ),
  };
}

function toldOf(addresses: readonly AlertAddress[], settings: Settings['settings']): Decided[] {
  const monitors = addresses.filter((each) => !isTold(each));
  const others = addresses.filter(isTold);
  const told = others.length;
  const isHeard = others.some(({ kind }) => kind !== 'url');
  const isSet = settings.some(({ name, set }) => name === 'HEARTBEAT_URL' && set);
  const heard = monitors.length + Number(isSet);
  const failing = monitors.find(({ state }) => state === 'failing');
  const alerts = <MoreLink to="/alerts">Alerts</MoreLink>;
  return [
    {
      name: 'Told when something needs a person',
      is: told > 0 ? counted(told, 'address', 'addresses') : 'nobody',
      isRisk: !isHeard,
      follows:
        told === 0
          ? 'Slack, a mailbox or a program of yours can be told of each alert.'
          : `${others.map(addressText).join(', ')}${isHeard ? '' : ': only a program, nobody by mail or in Slack'}`,
      act: told > 0 ? alerts : <Add words="Add an address" />,
    },
    {
      name: 'Told when Carillon itself stops',
      is: heard > 0 ? counted(heard, 'monitor') : 'nobody',
      isRisk: heard === 0 || failing !== undefined,
      follows: failing ? (
        `It does not hear: ${failing.reason}.`
      ) : (
        <>
          A monitor of yours raises an alarm when it hears nothing.{' '}
          <Guide to="watching.md#a-dead-mans-switch">A dead man’s switch</Guide>
        </>
      ),
      act: heard > 0 ? alerts : <Add words="Add a monitor" kind="monitor" />,
    },
  ];
}

const Add = ({ words, kind }: { words: string; kind?: 'monitor' }) => (
  <Opens words={words} may="admin" small>
    {(close) => <AddAddress of={kind} onClose={close} />}
  </Opens>
);

const Guide = ({ to, children }: { to: string; children: string }) => (
  <a href={`/docs/guides/${to}`} className="link whitespace-nowrap">
    {children}
  </a>
);

/** What follows from a setting has its act at the right. */
export const decidedRow = ({ name, is, isRisk, isDefault, follows, act }: Decided): Known => [
  name,
  <span key="is" className={classes('flex items-baseline gap-2', !isDefault && 'font-medium')}>
    {isRisk && <OutcomeMark state="warning" />} {is}
  </span>,
  <span key="follows" className="flex items-baseline justify-between gap-3">
    <span className="[overflow-wrap:anywhere]">{follows}</span>
    <span className="shrink-0">{act}</span>
  </span>,
];

export type Setting = Settings['settings'][number];

/** What each setting sets and what holds while it is not set, by subject, the one that is changed most first; others say their name without its signs. */
type Words = readonly [sets: string, unset?: string];

const groups: Readonly<Record<string, Readonly<Record<string, Words>>>> = {
  'Privacy and time': {
    CARILLON_KEEP_DAYS: ['What people said is kept', 'as decided above'],
    CARILLON_EVENT_DAYS: ['Events are kept', '7 days'],
    CARILLON_POLICY: ['A file of contact rules', 'none: the page sets them'],
    VOICE_CALL_DEADLINE_MS: ['A call whose end nobody tells is unknown after', '2 hours'],
  },
  'Limits and money': {
    VOICE_MAX_CALLS: ['Calls at once', 'as many as the service takes'],
    VOICE_MAX_COST: ['The most that calls may cost', 'no limit but those of campaigns'],
    VOICE_RATE: ['Requests a second', 'learned from the service'],
    VOICE_BURST: ['Requests at once, at a fixed rate', 'one'],
    VOICE_POLL: ['A call is asked how it stands', 'as often as calls teach'],
    API_RATE: ['Requests a second to the API', '3,000 for each token'],
  },
  'Who is told, and who may act': {
    HEARTBEAT_URL: ['A monitor that hears from Carillon', 'none but those added above'],
    ALERT_SMTP_URL: ['The server that mails alerts', 'none: no alert goes by mail'],
    API_TOKEN: ['The first token of the API', 'this machine needs none'],
    API_READ_TOKEN: ['A token that may only read', 'none'],
    OIDC_ISSUER: ['People log in by', 'a token'],
    WEBHOOK_ALLOW_PRIVATE: ['Webhooks to private networks', 'refused'],
    LIST_ALLOW_PRIVATE: ['Lists from private networks', 'refused'],
    MCP_ACTS: ['Acts of assistants, over MCP', 'not allowed: they only read'],
  },
  'The service and its keys': {
    VOICE_API_KEYS: ['Keys of the service'],
    VOICE_SERVICE: ['Which service', 'the standard interface'],
    VOICE_PROFILE: ['A file that describes the service', 'none'],
    VOICE_BASE_URL: ['Address of the service'],
    VOICE_ACCOUNTS: ['Keys that share one account', 'none'],
    VOICE_PROXY: ['A proxy on the way to the service', 'none'],
    VOICE_TIMEOUT_MS: ['An answer is awaited', '30 s'],
  },
  'This machine': {
    PORT: ['Port of this page and the API', '3000'],
    HOST: ['This page and the API listen on', 'this machine only'],
    PUBLIC_URL: ['This page’s address for others', 'none'],
    CARILLON_HOME: ['Folder of the embedded ledger'],
    DATABASE_URL: ['The ledger’s own server', 'none: it is embedded'],
    REDIS_URL: ['The queue’s own server', 'none: it is in the ledger'],
    LOG_LEVEL: ['How much is logged', 'info'],
  },
};
export const titles = Object.keys(groups);

/** Those in sight: what bounds calls, and what is changed, but for what is set once by whoever installs Carillon, and what stands elsewhere. */
export const isFirst = ({ name, set }: Setting): boolean =>
  ['VOICE_MAX_CALLS', 'VOICE_MAX_COST', 'VOICE_RATE'].includes(name) ||
  (set && name !== 'CARILLON_KEEP_DAYS' && !titles.slice(-2).includes(groupOf(name)));

/** It lets requests go where they are refused by default, or calls cost whatever they cost. */
export const isOpen = ({ name, value, set }: Setting) =>
  name === 'VOICE_MAX_COST' ? !set : value === '1' && name.endsWith('_ALLOW_PRIVATE');

/** The subject of those without words here, by the first letters of their names. */
const others = [/^CARILLON_SECRET$/, /^$/, /^(?:API|OIDC|ALERT|CORS)_/, /^(?:VOICE|CARILLON_HOOK)_/, /./];

export const groupOf = (name: string): string =>
  titles.find((title) => groups[title]![name]) ?? titles[others.findIndex((form) => form.test(name))]!;

export function wordsOf(name: string): Words {
  const plain = name.replaceAll('_', ' ').toLowerCase();
  return groups[groupOf(name)]![name] ?? [`${plain[0]!.toUpperCase()}${plain.slice(1)}`];
}

/** `west=12-2,east=8` as `west 12, of which 2 stay free for calls that come in; east 8`. */
export function settingValue(name: string, value: string): string {
  if (name === 'VOICE_MAX_COST')
    return value
      .split(',')
      .map((each) => each.replace(/(\w+):([\d.]+)/, (_, span, most) => `${count(Number(most))} a ${span}`))
      .join(', ');
  if (name === 'VOICE_API_KEYS') return value.replaceAll(',', ', ');
  if (name.endsWith('_DAYS')) return `${value} days`;
  if (name.endsWith('_MS')) return durationText(Number(value));
  if (name === 'VOICE_MAX_CALLS')
    return value
      .split(',')
      .map((each) =>
        each.replace('=', ' ').replace(/-(\d+)$/, ', of which $1 stay free for calls that come in'),
      )
      .join('; ');
  return value === '1' && /_ALLOW_|_ACTS$/.test(name) ? 'allowed' : value;
}
