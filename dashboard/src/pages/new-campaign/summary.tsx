import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Card } from '../../kit/card.tsx';
import { counted } from '../../kit/words.ts';
import type { Draft } from './draft.ts';
import { type Step, titles } from './steps.ts';

/** The order as a person would say it, each part with the way back to its step. */
export function Summary({ draft }: { draft: Draft }) {
  return (
    <Card>
      <dl className="space-y-3">
        <Part step="people">{peopleWords(draft)}</Part>
        <Part step="calls">{callWords(draft)}</Part>
        <Part step="hours">{hourWords(draft)}</Part>
        <Part step="limits">{limitWords(draft)}</Part>
      </dl>
    </Card>
  );
}

function Part({ step, children }: { step: Step; children: ReactNode }) {
  return (
    <div className="grid gap-x-4 sm:grid-cols-[10rem_minmax(0,1fr)]">
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

function callWords({ name, agents, from, override }: Draft): string {
  const named = agents.filter(({ id }) => id.trim() !== '');
  const speaks =
    named.length > 1
      ? `agents ${named.map(({ id, share }) => `${id} (share ${share || 1})`).join(', ')}`
      : named.length === 1
        ? `agent ${named[0]!.id}`
        : 'no agent yet';
  const caller =
    from.length === 0
      ? 'from the number that the service chooses'
      : from.length > 3
        ? `from ${counted(from.length, 'number')} in turn`
        : `from ${from.join(', ')}`;
  const settings = override.trim() === '' ? '' : ', with an override';
  return `${name.trim() || 'Without a name yet'}: ${speaks}, ${caller}${settings}.`;
}

function hourWords({ window, timezone, not_on, holidays, start_at, end_at }: Draft): string {
  const parts = [
    window.trim() === '' ? 'Any hour and day' : window,
    timezone.trim() === ''
      ? 'by each person’s own clock'
      : `by each person’s own clock, ${timezone} where a row names none`,
    not_on && `not on ${not_on}`,
    holidays && `not on the holidays of ${holidays}`,
    start_at && `not before ${start_at.replace('T', ' ')}`,
    end_at && `not after ${end_at.replace('T', ' ')}`,
  ];
  return `${parts.filter(Boolean).join(', ')}.`;
}

function limitWords(draft: Draft): string {
  const { max_attempts, retry, max_calls, weight, first, stop_at } = draft;
  const rules = Object.entries(retry).filter(([, after]) => after.trim() !== '');
  const tries =
    max_attempts.trim() === '' || max_attempts.trim() === '1'
      ? 'One attempt per person'
      : `Up to ${max_attempts} attempts per person`;
  const parts = [
    tries,
    rules.length > 0 && `again ${rules.map(([outcome, after]) => `after ${outcome}: ${after}`).join(', ')}`,
    draft.retry_when === 'spread' && 'in another part of the day',
    draft.retry_first && 'retries first',
    max_calls && `at most ${max_calls} calls at once`,
    weight && `weight ${weight}`,
    first && `a pause after the first ${first} people`,
    stop_at && `a pause when ${stop_at.replace('/', ' of the calls in ')} failed`,
    draft.on_unknown === 'redial' && 'unknown calls are made again once',
    draft.opt_out && `no more calls after ${draft.opt_out}`,
    draft.hang_up && 'a suppression hangs up',
    draft.evergreen && 'people added later are called too',
  ];
  return `${parts.filter(Boolean).join(', ')}.`;
}
