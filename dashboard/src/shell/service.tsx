import { useState } from 'react';
import type { AnswerOf } from '../api/ask.ts';
import type { Service, ServiceInUse } from '../api/description.ts';
import { useAct, useAsk } from '../data/queries.ts';
import { Badge } from '../kit/badge.tsx';
import { Button } from '../kit/button.tsx';
import { Command } from '../kit/copy.tsx';
import { Read, Trouble } from '../kit/empty.tsx';
import { Fact, Facts } from '../kit/facts.tsx';
import { FormProblem, SelectField } from '../kit/field.tsx';
import { count, counted } from '../kit/words.ts';
import { useMay } from './me.ts';

/** The service that calls go through: what it can, whether it answers as described, and how another one is chosen. */
export const useService = () => useAsk('GET /api/service', {});

/** Its name and address, and what it can where it `isWhole`. `address` is left out where it stands beside it. */
type BriefProps = { address?: boolean; isWhole?: boolean };

export function ServiceBrief({ address = true, isWhole = false }: BriefProps) {
  return (
    <Read of={useService()} lines={2}>
      {(data) => (
        <div className="space-y-3 text-left">
          <p>
            Calls go through <strong className="font-medium">{data.title.replace(/^The /, 'the ')}</strong>
            {isWhole && data.extended && ', as a file of yours describes it'}
            {address && ' at '}
            {address && <code className="font-mono text-sm break-all">{data.base_url}</code>}.
          </p>
          <ServiceCheck />
          {isWhole && <Abilities of={data} />}
          <details>
            <summary className="link mb-3 w-max text-sm text-quiet">Use another service</summary>
            <ServiceChoice inUse={data.name} />
          </details>
        </div>
      )}
    </Read>
  );
}

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

/** The abilities of the service, as its description has them, each with its source. */
function Abilities({ of: service }: { of: Service | ServiceInUse }) {
  const { can, limits, facts, verified, unverified } = service;
  const { calls, requests_per_second: rate } = limits;
  const told = [
    ...(calls === null ? [] : [`${counted(calls, 'call')} at once`]),
    ...(rate === null ? [] : [`${counted(rate, 'request')} a second`]),
  ].join(', ');
  const names = Object.keys(abilities) as (keyof Service['can'])[];
  return (
    <Facts names="narrow">
      {[true, ...(names.every((name) => can[name]) ? [] : [false])].map((is) => (
        <Fact key={String(is)} name={is ? 'It can' : 'It cannot'}>
          {names
            .filter((name) => can[name] === is)
            .map((name, nth) => (
              <span key={name} className={is ? undefined : 'block'}>
                {is && nth > 0 && ' · '}
                <Told text={abilities[name].slice(0, is ? 1 : 2).join(': ')} fact={facts[name]} />
              </span>
            ))}
        </Fact>
      ))}
      {service.absence_proves !== null && <Fact name="A missing call">{absenceWords(service)}</Fact>}
      {service.dials_later && (
        <Fact name="It dials">
          <Told text="perhaps later than it answers" fact={facts.dials_later} />
        </Fact>
      )}
      <Fact name="Limits">
        <Told text={told || 'none published: Carillon learns them'} fact={facts.limits} />
        {told && 'To begin with; Carillon learns the rest.'}
      </Fact>
      {verified && <Fact name="Verified">{`${verified} Read on ${service.read_on}.`}</Fact>}
      {unverified && <Fact name="Not verified">{unverified}</Fact>}
      <Fact name="Described in">
        {service.sources.map((each) => (
          <span key={each} className="block break-all">
            <Source at={each}>{each.replace(/^docs\/.*\/(.*)\.md$/, 'Docs: $1')}</Source>
          </span>
        ))}
      </Fact>
    </Facts>
  );
}

function Told({ text, fact }: { text: string; fact: Service['facts']['find'] }) {
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
  return (
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

/** Whether the service answers as it is described. */
type Checked = AnswerOf<'POST /api/service/check'>;
const marks: Record<Checked['steps'][number]['state'], string> = {
  ok: 'open',
  warn: 'warning',
  fail: 'critical',
};

/** Asks the service for its lists and one record, by hand: it costs requests of the key. */
function ServiceCheck() {
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
      <p className="mt-1 text-sm text-quiet">
        Asked with the key {key}.{' '}
        {fields.length > 0 &&
          `${count(found.length)} of ${counted(fields.length, 'field')} of the record were there; carillon service check lists them.`}
      </p>
    </>
  );
}
