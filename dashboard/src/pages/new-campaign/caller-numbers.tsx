import { useState } from 'react';
import { useAsk } from '../../data/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Loading, Trouble } from '../../kit/empty.tsx';
import { AreaField, CheckField, TextField } from '../../kit/field.tsx';
import { phoneText } from '../../kit/phone.tsx';
import { counted } from '../../kit/words.ts';
import { change, type Draft } from './draft.ts';

/** The caller numbers, from the service's own listing; several take turns, and none leaves the choice to the service. */
export function CallerNumbers({ draft: { from, faults } }: { draft: Draft }) {
  const numbers = useAsk('GET /api/numbers', {});
  const fault = faults.from ?? faults.number_ids;
  if (numbers.isPending) return <Loading lines={2} />;
  const items = numbers.data?.items ?? [];
  if (items.length === 0) {
    return (
      <>
        {numbers.error && (
          <div className="mb-3">
            <Trouble problem={numbers.error} retry={() => void numbers.refetch()} />
          </div>
        )}
        <AreaField
          label="Caller numbers, one a line"
          value={from.join('\n')}
          onChange={(event) => change({ from: linesOf(event.target.value) })}
          placeholder="+14155550100"
          rows={3}
          error={fault}
          help={
            numbers.error
              ? 'The service’s numbers could not be listed. Leave this empty to let the service choose.'
              : 'The service lists no numbers. Leave this empty to let it choose.'
          }
        />
      </>
    );
  }
  const keys: Numbers = new Map();
  for (const item of items) {
    const { phone_number: number, key } = item;
    keys.set(number, { of: [...(keys.get(number)?.of ?? []), key], name: nameOf(item) });
  }
  const isListed = (each: string) => each === 'all' || each.includes(':');
  const missing = from.filter((number) => !keys.has(number) && !isListed(number));
  const takesAll = from.includes('all');
  return (
    <>
      <CheckField
        label="All numbers of the account"
        checked={takesAll}
        onChange={() => toggle(from, 'all')}
        help="Those that the service lists when the campaign starts."
      />
      {!takesAll && <NumberList numbers={keys} from={from} />}
      {missing.map((number) => (
        <p key={number} className="mt-2 flex items-center gap-2 text-warn">
          {number} is not in the service’s listing.
          <Button small onClick={() => toggle(from, number)}>
            Remove {number}
          </Button>
        </p>
      ))}
      {fault && <p className="mt-2 text-sm text-bad">{fault}</p>}
      <p className="mt-2 text-sm text-quiet">{poolWords(from)}</p>
      {numbers.data?.failed.map(({ key, detail }) => (
        <p key={key} className="mt-1 text-sm text-warn">
          The numbers of the key {key} could not be listed: {detail}
        </p>
      ))}
    </>
  );
}

function poolWords(from: readonly string[]): string {
  if (from.length === 0) return 'None is chosen: the service chooses the number.';
  if (from.includes('all')) return 'All numbers of the account take turns.';
  return from.length === 1
    ? 'All calls come from this number.'
    : `${counted(from.length, 'number')} take turns.`;
}

/** A longer list has a field that finds numbers in it. */
const fewNumbers = 12;

type Numbers = Map<string, { of: string[]; name: string | null }>;

/** Services call the name of a number by different words. */
function nameOf(record: Record<string, unknown>): string | null {
  const words = [record.label, record.name, record.nickname, record.friendly_name];
  return words.find((each): each is string => typeof each === 'string' && each !== '') ?? null;
}

function NumberList({ numbers, from }: { numbers: Numbers; from: string[] }) {
  const [sought, setSought] = useState('');
  const wanted = sought.trim().toLowerCase();
  const digits = wanted.replace(/\D/g, '');
  const shown = [...numbers].filter(
    ([number, { name }]) =>
      wanted === '' ||
      (digits !== '' && number.replace(/\D/g, '').includes(digits)) ||
      name?.toLowerCase().includes(wanted),
  );
  const hasKeys = new Set([...numbers.values()].flatMap(({ of }) => of)).size > 1;
  return (
    <fieldset>
      <legend className="sr-only">Caller numbers</legend>
      {numbers.size > fewNumbers && (
        <div className="mb-3 max-w-xs">
          <TextField
            label="Find a number"
            type="search"
            value={sought}
            onChange={(event) => setSought(event.target.value)}
          />
        </div>
      )}
      <div className="grid max-h-72 gap-2 overflow-auto p-1 sm:grid-cols-2 lg:grid-cols-3">
        {shown.slice(0, 200).map(([number, { of, name }]) => (
          <CheckField
            key={number}
            label={phoneText(number)}
            checked={from.includes(number)}
            onChange={() => toggle(from, number)}
            help={[name, hasKeys && `key ${of.join(', ')}`].filter(Boolean).join(', ') || undefined}
          />
        ))}
      </div>
      {shown.length > 200 && <p className="text-sm text-quiet">The first 200 of {shown.length}.</p>}
    </fieldset>
  );
}

function toggle(from: string[], number: string): void {
  change({ from: from.includes(number) ? from.filter((each) => each !== number) : [...from, number] });
}

/** A line that is being typed stays; empty ones are left out when the order is sent. */
const linesOf = (text: string) => (text === '' ? [] : text.split('\n'));
