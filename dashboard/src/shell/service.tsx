import { useState } from 'react';
import type { Service, ServiceInUse } from '../api/description.ts';
import { useAsk } from '../data/queries.ts';
import { Command } from '../kit/copy.tsx';
import { Read, Trouble } from '../kit/empty.tsx';
import { SelectField } from '../kit/field.tsx';
import { counted } from '../kit/words.ts';
import { ServiceCheck } from './service-check.tsx';

/** The service that calls go through: what it can, whether it answers as described, and how another one is chosen. */
export const useService = () => useAsk('GET /api/service', {});

/** Its name and address, and the rest folded. */
/** `address` is left out where it stands beside it. */
export function ServiceBrief({ address = true }: { address?: boolean }) {
  const service = useService();
  return (
    <Read of={service} lines={2}>
      {(data) => <Brief of={data} address={address} />}
    </Read>
  );
}

function Brief({ of: data, address }: { of: ServiceInUse; address: boolean }) {
  return (
    <div className="space-y-3 text-left">
      <p>
        Calls go through <strong className="font-medium">{data.title.replace(/^The /, 'the ')}</strong>
        {address && (
          <>
            {' '}
            at <code className="font-mono text-sm break-all">{data.base_url}</code>
          </>
        )}
        .
      </p>
      <ServiceCheck />
      <details>
        <summary className="link w-max text-sm text-quiet">What this service can do</summary>
        <div className="mt-3 space-y-4">
          <p className="text-sm text-quiet">
            <code className="font-mono">VOICE_SERVICE={data.name}</code>
            {data.extended && ', changed by the file of VOICE_PROFILE'}
          </p>
          <Abilities of={data} />
        </div>
      </details>
      <details>
        <summary className="link w-max text-sm text-quiet">Use another service</summary>
        <div className="mt-3">
          <ServiceChoice inUse={data.name} />
        </div>
      </details>
    </div>
  );
}

const abilities: Readonly<Record<keyof Service['can'], string>> = {
  find: 'look for a call in doubt',
  hang_up: 'hang up',
  numbers: 'list phone numbers',
  agents: 'list agents',
  webhook: 'tell by webhook that a call changed',
  transcripts: 'give transcripts',
  recordings: 'give recordings',
  costs: 'tell what a call cost',
  live_calls: 'tell how many calls are in progress',
};

/** The abilities of the service, as its description has them, each with its source. */
function Abilities({ of: service }: { of: Service | ServiceInUse }) {
  const { can, limits, facts } = service;
  const { calls, requests_per_second: rate } = limits;
  const told = [
    ...(calls === null ? [] : [`${counted(calls, 'call')} at once`]),
    ...(rate === null ? [] : [`${counted(rate, 'request')} a second`]),
  ].join(', ');
  const names = Object.keys(abilities) as (keyof Service['can'])[];
  const list = (isAble: boolean) =>
    names
      .filter((name) => can[name] === isAble)
      .map((name) => (
        <li key={name}>
          <Told text={abilities[name]} fact={facts[name]} />
        </li>
      ));
  const [able, unable] = [list(true), list(false)];
  return (
    <dl className="grid gap-x-4 gap-y-1.5 sm:grid-cols-[8rem_minmax(0,1fr)] [&>dd]:max-w-prose [&>dt]:text-quiet">
      <dt>Can</dt>
      <dd>
        <ul>{able}</ul>
      </dd>
      <dt>Cannot</dt>
      <dd>{unable.length > 0 ? <ul>{unable}</ul> : 'nothing of what Carillon asks for'}</dd>
      <dt>A missing call</dt>
      <dd>{absenceWords(service)}</dd>
      <dt>It dials</dt>
      <dd>
        <Told
          text={service.dials_later ? 'perhaps later than it answers' : 'at once'}
          fact={facts.dials_later}
        />
      </dd>
      <dt>Limits</dt>
      <dd>
        <Told text={told || 'none published'} fact={facts.limits} />
        <span className="block text-sm text-quiet">To begin with; Carillon learns the rest.</span>
      </dd>
      {service.verified && <dt>Verified</dt>}
      {service.verified && (
        <dd>
          {service.verified} Read on {service.read_on}.
        </dd>
      )}
      {service.unverified && <dt>Not verified</dt>}
      {service.unverified && <dd>{service.unverified}</dd>}
      <dt>Sources</dt>
      <dd className="min-w-0">
        <ul className="text-sm break-all">
          {service.sources.map((each) => (
            <li key={each}>
              <Source at={each}>{each}</Source>
            </li>
          ))}
        </ul>
      </dd>
    </dl>
  );
}

type Fact = NonNullable<Service['facts']['find']>;

function Told({ text, fact }: { text: string; fact: Fact | undefined }) {
  return (
    <>
      {text}
      {fact?.says && <span className="text-quiet">: {fact.says}</span>}{' '}
      {fact?.source.startsWith('https://') && (
        <span className="text-sm">
          <Source at={fact.source}>source</Source>
        </span>
      )}
    </>
  );
}

function Source({ at, children }: { at: string; children: string }) {
  if (!at.startsWith('https://')) return <span className="text-quiet">{at}</span>;
  return (
    <a href={at} target="_blank" rel="noopener noreferrer" className="link" title={at}>
      {children}
    </a>
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
