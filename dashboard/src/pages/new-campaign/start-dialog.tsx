import { useState } from 'react';
import type { Problem } from '../../api/ask.ts';
import type { ImportPreview } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Meter } from '../../kit/meter.tsx';
import { timeText } from '../../kit/time.tsx';
import { about, count, counted } from '../../kit/words.ts';
import { weekWords } from '../../order/week.ts';
import { callable } from './check-state.tsx';
import type { Draft } from './draft.ts';

/** Asks once before people are called: how many, at what pace and when; then it shows how far the making is. */
export type StartHow = 'draft' | 'schedule' | 'first' | 'start';
/** As many are heard before all others are called. */
export const fewPeople = 20;
export type StartState = { words: string; part: number } | null;

type StartProps = {
  how: StartHow;
  draft: Draft;
  answer: ImportPreview;
  state: StartState;
  problem: Problem | null;
  onClose(): void;
  onAct(startAt: string): void;
};

export function StartDialog({ how, draft, answer, state, problem, onClose, onAct }: StartProps) {
  const [startAt, setStartAt] = useState(draft.start_at || tomorrow());
  const people = callable(answer);
  const { title, verb } = wordsOf(how, people);
  return (
    <FormDialog
      title={title}
      onClose={onClose}
      act={verb}
      keep="Not now"
      onSend={() => onAct(startAt)}
      busy={state !== null}
      isEmpty={how === 'schedule' && startAt === ''}
      problem={problem}
      fields={[]}
    >
      {how === 'schedule' && (
        <TextField
          label="Nobody is called before"
          type="datetime-local"
          value={startAt}
          onChange={(event) => setStartAt(event.target.value)}
          help={draft.timezone.trim() ? `In ${draft.timezone}.` : 'In your time zone.'}
        />
      )}
      {how === 'draft' ? (
        <p>The campaign and its people are stored. Nobody is called until it is started.</p>
      ) : (
        <ul className="list-disc space-y-1 pl-5">
          <Pace />
          <li>{whenWords(draft, how)}</li>
          {how !== 'first' && draft.first.trim() !== '' && (
            <li>It pauses after the first {draft.first} people.</li>
          )}
          {how === 'first' && <li>Then it pauses, so that you can judge the calls before you resume it.</li>}
        </ul>
      )}
      {state && <Meter label="Progress" value={state.part} words={`${state.words}…`} />}
    </FormDialog>
  );
}

function wordsOf(how: StartHow, people: number): { title: string; verb: string } {
  const whom = counted(people, 'person', 'people');
  switch (how) {
    case 'draft':
      return { title: `Keep ${whom} as a draft?`, verb: 'Keep as a draft' };
    case 'schedule':
      return { title: `Call ${whom} later?`, verb: 'Schedule' };
    case 'first':
      return {
        title: `Call the first ${fewPeople} of ${count(people)} people?`,
        verb: `Call the first ${fewPeople}`,
      };
    case 'start':
      return { title: `Call ${whom}?`, verb: people > 0 ? `Call ${whom}` : 'Start' };
  }
}

function Pace() {
  const { data } = useAsk('GET /api/keys', {});
  const open = data?.items.filter(({ present, state }) => present && state === 'open') ?? [];
  const rates = open.flatMap(({ rate }) => (rate === null ? [] : [rate]));
  if (!data) return <li>The pace of the keys is being read.</li>;
  if (open.length === 0) return <li>No key can create calls now. Calls begin when one can.</li>;
  const names = open.map(({ name }) => name).join(', ');
  if (rates.length === 0) return <li>The pace of the key {names} is not known yet.</li>;
  const whole = rates.reduce((sum, rate) => sum + rate, 0);
  return (
    <li>
      {open.length === 1 ? `The key ${names} takes` : `The keys ${names} take`} about {about(whole)}{' '}
      {whole === 1 ? 'request' : 'requests'} a second, of which this campaign gets its share.
    </li>
  );
}

function whenWords({ window, start_at, timezone }: Draft, how: StartHow): string {
  const hours =
    window.trim() === ''
      ? 'at any hour that the contact rules allow'
      : `only ${weekWords(window)}, by their own clock`;
  if (how === 'schedule') return `It begins then: people are called ${hours}.`;
  const where = timezone.trim() && ` in ${timezone}`;
  const at = start_at ? `at ${timeText(start_at)}${where}` : 'now';
  return `It begins ${at}: people are called ${hours}.`;
}

/** Nine in the morning, as a field of this type takes it. */
function tomorrow(): string {
  const day = new Date();
  day.setDate(day.getDate() + 1);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}T09:00`;
}
