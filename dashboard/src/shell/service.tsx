import { useState } from 'react';
import type { AnswerOf } from '../api/ask.ts';
import type { Service, ServiceInUse } from '../api/description.ts';
import { useAct, useAsk } from '../api/queries.ts';
import { Badge } from '../kit/badge.tsx';
import { Button } from '../kit/button.tsx';
import { Command } from '../kit/copy.tsx';
import { Loading, Trouble } from '../kit/empty.tsx';
import { FormProblem, SelectField } from '../kit/field.tsx';
import { count, counted } from '../kit/words.ts';
import { useMay } from './me.ts';

/** The service that calls go through: what it can, whether it answers as described, and how another one is chosen. */
export const useService = () => useAsk('GET /api/service', {});

/** For the way to a first campaign: its name and address, and the rest folded. */
export function ServiceBrief() {
  const service = useService();
  if (service.error && !service.data)
    return <Trouble problem={service.error} retry={() => void service.refetch()} />;
  if (!service.data) return <Loading lines={2} />;
  const { data } = service;
  return (
    <div className="space-y-3 text-left">
      <p>
        Calls go through <strong className="font-medium">{data.title}</strong> at{' '}
        <code className="font-mono text-sm break-all">{data.base_url}</code>.
      </p>
      <ServiceCheck />
      <details>
        <summary className="link">What it can, and other services</summary>
        <div className="mt-3 space-y-4">
          <Abilities of={data} />
          <ServiceChoice inUse={data.name} />
        </div>
      </details>
    </div>
  );
}

const abilities: Readonly<Record<keyof Service['can'], string>> = {
  find: 'list calls, so that one in doubt can be looked for',
  hang_up: 'hang up',
  numbers: 'list phone numbers',
  agents: 'list agents',
  webhook: 'tell by webhook that a call changed',
  transcripts: 'give transcripts',
  recordings: 'give recordings',
  costs: 'tell what a call cost',
};

/** The abilities of the service, as its description has them. */
export function Abilities({ of: service }: { of: Service | ServiceInUse }) {
  const all = Object.entries(abilities) as [keyof Service['can'], string][];
  const words = (can: boolean) =>
    all
      .filter(([name]) => service.can[name] === can)
      .map(([, text]) => text)
      .join('; ');
  const { calls, requests_per_second: rate } = service.limits;
  const limits = [
    ...(calls === null ? [] : [`${counted(calls, 'call')} at once`]),
    ...(rate === null ? [] : [`${counted(rate, 'request')} a second`]),
  ].join(', ');
  const facts: [name: string, text: string | null][] = [
    ['Can', words(true)],
    ['Cannot', words(false) || 'nothing of what Carillon asks for'],
    ['A missing call', absenceWords(service)],
    [
      'Limits',
      limits ? `${limits} to begin with; Carillon learns the rest` : 'none published; Carillon learns them',
    ],
    ['When it dials', service.dials_later ? 'possibly later than it answers' : 'when it answers'],
    ['Verified', service.verified && `${service.verified} Read on ${service.read_on}.`],
    ['Not verified', service.unverified],
  ];
  return (
    <dl className="grid gap-x-4 gap-y-1.5 sm:grid-cols-[8rem_minmax(0,1fr)]">
      {facts.map(
        ([name, text]) =>
          text && (
            <div key={name} className="contents">
              <dt className="text-quiet">{name}</dt>
              <dd className="max-w-prose max-sm:mb-1">{text}</dd>
            </div>
          ),
      )}
      <dt className="text-quiet">Source</dt>
      <dd className="min-w-0">
        <ul>
          {service.sources.map((source) => (
            <li key={source} className="text-sm break-all">
              {source.startsWith('https://') ? (
                <a href={source} target="_blank" rel="noopener noreferrer" className="link">
                  {source}
                </a>
              ) : (
                source
              )}
            </li>
          ))}
        </ul>
      </dd>
    </dl>
  );
}

/** Whether a call that the service's list lacks was made. */
export function absenceWords({ absence_proves: proves }: Pick<Service, 'absence_proves'>): string | null {
  if (proves === null) return 'the service lists no calls, so it cannot be asked about one in doubt';
  return proves
    ? 'its list has every call: one that it lacks was never made'
    : 'absence proves nothing here: a call that its list lacks may have been made';
}

/** Every service that ships, and the lines that choose it. */
export function ServiceChoice({ inUse }: { inUse: string }) {
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
          {name !== inUse && <Abilities of={chosen} />}
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

function linesOf({ name, base_url: address }: Service): string {
  return [
    `VOICE_SERVICE=${name}`,
    ...(address === null ? ['VOICE_BASE_URL=https://...'] : []),
    'VOICE_API_KEYS=main=YOUR_KEY',
  ].join('\n');
}

type Checked = AnswerOf<'POST /api/service/check'>;
const marks: Record<Checked['steps'][number]['state'], string> = {
  ok: 'open',
  warn: 'warning',
  fail: 'critical',
};

/** Asks the service for its lists and one record, by hand: it costs requests of the key. */
export function ServiceCheck() {
  const may = useMay('operate');
  const check = useAct('POST /api/service/check', { quiet: true });
  if (!may) return null;
  return (
    <div>
      <Button onClick={() => check.run({})} busy={check.isPending}>
        Check the service
      </Button>
      <div aria-live="polite" className="mt-2 empty:hidden">
        <FormProblem problem={check.error} fields={[]} />
        {check.data && <CheckedSteps of={check.data} />}
      </div>
    </div>
  );
}

function CheckedSteps({ of: { key, steps, fields } }: { of: Checked }) {
  const found = fields.filter(({ value }) => value !== null);
  return (
    <>
      <ul aria-label="What the service answered" className="divide-y divide-line">
        {steps.map(({ what, state, detail }) => (
          <li key={what} className="grid grid-cols-[6rem_4.5rem_minmax(0,1fr)] items-baseline gap-x-3 py-1.5">
            <span className="text-quiet">{what}</span>
            <span>
              <Badge state={marks[state]} label={state} />
            </span>
            <span className="[overflow-wrap:anywhere]">{detail}</span>
          </li>
        ))}
      </ul>
      {fields.length > 0 && (
        <details className="mt-1">
          <summary className="link">
            {count(found.length)} of {counted(fields.length, 'field')} of the record
          </summary>
          <ul className="mt-1 text-sm">
            {fields.map(({ field, at, value }) => (
              <li key={field} className="grid gap-x-3 border-b border-line py-1 last:border-0 sm:grid-cols-3">
                <span>{field}</span>
                <span className="min-w-0 truncate">
                  {value === null ? <span className="text-quiet">not there</span> : wordOf(value)}
                </span>
                <code className="min-w-0 font-mono text-xs text-quiet [overflow-wrap:anywhere]">
                  {at.join(', ')}
                </code>
              </li>
            ))}
          </ul>
        </details>
      )}
      <p className="mt-1 text-sm text-quiet">Asked with the key {key}.</p>
    </>
  );
}

const wordOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
