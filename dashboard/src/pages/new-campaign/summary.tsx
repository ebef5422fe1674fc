import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ImportPreview } from '../../api/description.ts';
import { Card } from '../../kit/card.tsx';
import { localTimeOf } from '../../kit/local-time.ts';
import { textOf } from '../../order/fields.ts';
import type { Draft } from './draft.ts';
import type { ListCheck } from './list-check.ts';
import { orderOf } from './order.ts';
import type { Step } from './step-names.ts';
import { groupsIn, titles } from './steps.ts';

/** The order as a person would say it, each part with the way back to its step; without a check, as it was filled in. */
type SummaryProps = { draft: Draft; check?: Pick<ListCheck, 'answer' | 'isRunning' | 'problem'> };

export function Summary({ draft, check }: SummaryProps) {
  const told = check?.isRunning || check?.problem ? undefined : check?.answer?.order_words;
  return (
    <Card>
      <dl className="@container space-y-3 [overflow-wrap:anywhere]">
        <Part step="people">{peopleWords(draft)}</Part>
        <Part step="calls">
          {draft.name.trim() || 'No name yet'}; {callWords(draft, told)}.
        </Part>
        <Part step="hours">{sentence(orderWords('hours', draft, told))}</Part>
        <Part step="limits">{sentence(orderWords('limits', draft, told))}</Part>
      </dl>
    </Card>
  );
}

function Part({ step, children }: { step: Step; children: ReactNode }) {
  return (
    <div className="grid gap-x-4 @lg:grid-cols-[10rem_minmax(0,1fr)]">
      <dt className="text-quiet">
        <Link to="/campaigns/new" search={{ step }} className="link">
          {titles[step]}
        </Link>
      </dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}

function peopleWords({ file, country, map }: Draft): string {
  if (!file) return 'No file is chosen.';
  const used = Object.entries(map).map(([role, column]) => `${role} from the column ${column}`);
  const parts = [file.name, country && `national numbers of ${country}`, ...used];
  return `${parts.filter(Boolean).join(', ')}.`;
}

type Told = ImportPreview['order_words'] | undefined;

/** In the API's words; until it has answered, as the fields were filled in. */
function orderWords(step: Step, draft: Draft, told: Told): string[] {
  const groups = groupsIn(step);
  if (told) return groups.flatMap(({ name }) => told[name]).map(inLocalTimes);
  const order = orderOf(draft);
  const typed = groups.flatMap(({ fields }) => fields.map((field) => [field.label, textOf(field, order)]));
  return typed.filter(([, text]) => text !== '').map(([label, text]) => `${label}: ${text}`);
}

/** The API is not told the override of a list that it only checks, and does not tell of a single agent. */
function callWords(draft: Draft, told: Told): string {
  if (!told) return orderWords('calls', draft, told).join(', ') || 'no agent yet';
  const [agent, ...others] = draft.agent.filter(({ id }) => id.trim() !== '');
  const speaks = agent ? others.length === 0 && `agent ${agent.id.trim()}` : 'no agent yet';
  const settings = draft.override.trim() !== '' && 'with an override';
  return [speaks, ...orderWords('calls', draft, told), settings].filter(Boolean).join(', ');
}

function sentence(words: readonly string[]): string {
  const text = words.join(', ') || 'the defaults';
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

const inLocalTimes = (words: string) =>
  words.replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => localTimeOf(time).replace('T', ' '));
