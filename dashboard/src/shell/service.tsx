import { Fragment, type ReactNode, useState } from 'react';
import type { Service, ServiceInUse } from '../api/ask.ts';
import { useAct, useAsk } from '../data/queries.ts';
import { Badge, Command } from '../kit/basics.tsx';
import { Dialog, FormProblem, SelectField } from '../kit/form.tsx';
import { Read, Trouble } from '../kit/page.tsx';
import { classes, count, counted } from '../kit/words.ts';
import { ActButton, Opens } from './opens.tsx';
import { useService } from './reads.ts';

/** The service that calls go through: what it can, whether it answers as described, and how another one is chosen. */
export const ServiceBrief = () => (
  <Read of={useService()} lines={2}>
    {({ name, title, base_url: address }) => (
      <div className="space-y-3 text-left">
        <p>
          Calls go through <strong className="font-medium">{title.replace(/^The /, 'the ')}</strong> at{' '}
          <code className="font-mono text-sm break-all">{address}</code>.
        </p>
        <ServiceActs inUse={name} />
      </div>
    )}
  </Read>
);

/** What a service may be able to do, and what follows where it is not. */
const abilities: Readonly<Record<keyof Service['can'], readonly [does: string, lacking: string]>> = {
  hang_up: ['hang up', 'a call ends by itself'],
  numbers: ['list phone numbers', 'you name those you call from'],
  webhook: ['tell by webhook that a call changed', 'Carillon asks it'],
  transcripts: ['give transcripts', 'no words of a call are shown'],
  recordings: ['give recordings', 'no call can be heard'],
  costs: ['tell what a call cost', 'no cost is known'],
  find: ['look for a call in doubt', 'it waits for you'],
  agents: ['list agents', 'you name them by their ids'],
  live_calls: ['tell how many calls are in progress', 'those that come in are not counted'],
};

/** What is known of a service, as its description has it: each fact, and what follows from it. */
export type Known = readonly [name: ReactNode, is: ReactNode, follows?: ReactNode];

export const KnownRows = ({ of, label }: { of: readonly Known[]; label?: string }) => (
  <ul aria-label={label} className="divide-y divide-line border-y border-line text-sm">
    {of.map(([name, is, follows], nth) => (
      <li
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows stand fast, and a name may be more than text.
        key={nth}
        className="grid items-baseline gap-x-6 py-2 sm:grid-cols-[14rem_minmax(0,2fr)_minmax(0,3fr)]"
      >
        <span className="text-quiet">{name}</span>
        <span className={classes('[overflow-wrap:anywhere]', !follows && 'sm:col-span-2')}>{is}</span>
        <span className="text-quiet empty:hidden">{follows}</span>
      </li>
    ))}
  </ul>
);

export function knownOf(service: Service | ServiceInUse): Known[] {
  const { can, limits, facts, verified, unverified, absence_proves: proves } = service;
  const { calls, requests_per_second: rate } = limits;
  const told = [
    calls !== null && `${counted(calls, 'call')} at once`,
    rate !== null && `${counted(rate, 'request')} a second`,
  ].filter(Boolean);
  const names = Object.keys(abilities) as (keyof Service['can'])[];
  const tell = (text: string, name: keyof typeof facts) => {
    const fact = facts[name];
    return (
      <Fragment key={name}>
        {text}
        {fact?.says && <span className="text-quiet">: {fact.says}</span>}{' '}
        {fact?.source.startsWith('https://') && (
          <span className="text-sm">
            <Source at={fact.source}>source</Source>
          </span>
        )}
      </Fragment>
    );
  };
  const rows: (Known | false | '' | null)[] = [
    'extended' in service && [
      'Calls go through',
      service.title.replace(/^The /, 'the '),
      service.extended && 'as a file of yours describes it',
    ],
    ...names
      .toSorted((a, b) => Number(can[b]) - Number(can[a]))
      .map((name): Known => {
        const [does, lacking] = abilities[name];
        return [
          tell(does, name),
          <Badge key="can" state={can[name] ? 'open' : 'skipped'} label={can[name] ? 'yes' : 'no'} />,
          !can[name] && lacking,
        ];
      }),
    proves !== null && ['A missing call', absenceWords(service)],
    service.dials_later && ['It dials', tell('perhaps later than it answers', 'dials_later')],
    [
      'Limits',
      tell(told.join(', ') || 'none published', 'limits'),
      told.length > 0 ? 'to begin with; Carillon learns the rest' : 'Carillon learns them',
    ],
    verified && ['Verified', `${verified} Read on ${service.read_on}.`],
    unverified && ['Not verified', unverified],
    [
      'Described in',
      service.sources.map((each) => (
        <span key={each} className="block break-all">
          <Source at={each}>{each.replace(/^docs\/.*\/(.*)\.md$/, 'Docs: $1')}</Source>
        </span>
      )),
    ],
  ];
  return rows.filter((row) => Array.isArray(row)) as Known[];
}

const Source = ({ at, children }: { at: string; children: string }) => (
  <a
    href={at.replace(/^docs\//, '/docs/')}
    target="_blank"
    rel="noopener noreferrer"
    className="link"
    title={at}
  >
    {children}
  </a>
);

/** Whether a call that the service's list lacks was made. */
export function absenceWords({ absence_proves: proves }: Pick<Service, 'absence_proves'>): string | null {
  if (proves === null) return 'the service lists no calls, so it cannot be asked about one in doubt';
  return proves
    ? 'its list has every call: one that it lacks was never made'
    : 'absence proves nothing here: a call that its list lacks may have been made';
}

const marks = { ok: 'open', warn: 'warning', fail: 'critical' };

function ServiceChoice({ inUse }: { inUse: string }) {
  const services = useAsk('GET /api/services', {});
  const [name, setName] = useState(inUse);
  const items = services.data?.items ?? [];
  const chosen = items.find((each) => each.name === name);
  return (
    <div className="space-y-3">
      <div className="max-w-sm">
        <SelectField
          label="Services that Carillon can drive"
          value={name}
          onChange={(event) => setName(event.target.value)}
          choices={items.map((each) => ({
            value: each.name,
            label: each.name === inUse ? `${each.title} (in use)` : each.title,
          }))}
        />
      </div>
      {services.error && <Trouble problem={services.error} />}
      {chosen && (
        <>
          {name !== inUse && <KnownRows of={knownOf(chosen)} />}
          <p>
            To choose {chosen.title}, put these lines into <code>.env</code> or the environment, and start
            Carillon again. The key stands only there: this page never asks for one.
          </p>
          <Command>{linesOf(chosen)}</Command>
          <p className="text-sm text-quiet">
            Another service is a file that <code>VOICE_PROFILE</code> names: docs/guides/services.md makes
            one.
          </p>
        </>
      )}
    </div>
  );
}

const linesOf = ({ name, base_url: address }: Service): string =>
  [
    `VOICE_SERVICE=${name}`,
    ...(address === null ? ['VOICE_BASE_URL=https://...'] : []),
    'VOICE_API_KEYS=main=YOUR_KEY',
  ].join('\n');

/** A check asks for its lists and one record, by hand: it costs requests of the key. What came of it stands below the acts. */
export function ServiceActs({ inUse }: { inUse: string }) {
  const check = useAct('POST /api/service/check', { quiet: true });
  const { data: checked } = check;
  const fields = checked?.fields ?? [];
  const found = fields.filter(({ value }) => value !== null);
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <ActButton may="operate" onClick={() => check.run({})} busy={check.isPending}>
          Check the service
        </ActButton>
        <Opens words="Use another service" may="read" kind="quiet">
          {(close) => (
            <Dialog wide onClose={close} title="Use another service">
              <ServiceChoice inUse={inUse} />
            </Dialog>
          )}
        </Opens>
      </div>
      <div aria-live="polite" className="basis-full empty:hidden">
        <FormProblem problem={check.error} fields={[]} />
        {checked && (
          <>
            <KnownRows
              label="What the service answered"
              of={checked.steps.map(({ what, state, detail }) => [
                what,
                <Badge key="state" state={marks[state]} label={state} />,
                detail,
              ])}
            />
            <p className="mt-1 text-sm text-quiet">
              Asked with the key {checked.key}.{' '}
              {fields.length > 0 &&
                `${count(found.length)} of ${counted(fields.length, 'field')} of the record were there; carillon service check lists them.`}
            </p>
          </>
        )}
      </div>
    </>
  );
}
