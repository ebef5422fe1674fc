import { type ReactNode, useState } from 'react';
import type { AlertAddress, Settings } from '../../api/ask.ts';
import { useAsk, useDialogAct, useDryRun } from '../../data/queries.ts';
import { OutcomeMark } from '../../kit/basics.tsx';
import { FormDialog, SelectField } from '../../kit/form.tsx';
import { MoreLink } from '../../kit/router.tsx';
import { classes, count, counted } from '../../kit/words.ts';
import { numberOf, regionOf, rulesOf, rulesText, useHoursInForce } from '../../order/rules.ts';
import { Opens } from '../../shell/opens.tsx';
import { isTold, useMay } from '../../shell/reads.ts';
import type { Known } from '../../shell/service.tsx';
import { AddAddress, addressText } from '../alerts/add.tsx';

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
