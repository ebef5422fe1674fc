import { useState } from 'react';
import { useAsk } from '../../data/queries.ts';
import { Loading } from '../../kit/empty.tsx';
import { AreaField, CheckField, TextField } from '../../kit/field.tsx';
import { phoneText } from '../../kit/phone.tsx';
import { change, type Draft } from './draft.ts';

/** The caller numbers, from the service's own listing; none leaves the choice to the service. */
export function CallerNumbers({ draft: { from, faults } }: { draft: Draft }) {
  const numbers = useAsk('GET /api/numbers', {});
  const [sought, setSought] = useState('');
  const fault = faults.from ?? faults.number_ids;
  if (numbers.isPending) return <Loading lines={2} />;
  const listed = new Map<string, string>();
  for (const { phone_number: number, key, label, name, nickname, friendly_name: friendly } of numbers.data
    ?.items ?? []) {
    // Services call the name of a number by different words.
    const named = [label, name, nickname, friendly].find((each) => typeof each === 'string' && each !== '');
    listed.set(
      number,
      listed.has(number) ? `${listed.get(number)}, ${key}` : `${named ?? 'number'}, key ${key}`,
    );
  }
  if (listed.size === 0) {
    return (
      <AreaField
        label="Caller numbers, one a line"
        value={from.join('\n')}
        onChange={({ target }) => change({ from: target.value === '' ? [] : target.value.split('\n') })}
        placeholder="+14155550100"
        rows={3}
        error={fault ?? numbers.error?.message}
        help="The service lists no numbers. Leave this empty to let it choose."
      />
    );
  }
  // One that was ticked before and is no longer listed can be taken out.
  for (const each of from)
    if (each.startsWith('+') && !listed.has(each)) listed.set(each, 'no longer listed');
  const box = (number: string, label: string, help: string) => (
    <CheckField
      key={number}
      label={label}
      help={help}
      checked={from.includes(number)}
      onChange={({ target }) =>
        change({ from: target.checked ? [...from, number] : from.filter((each) => each !== number) })
      }
    />
  );
  const wanted = sought.trim().toLowerCase();
  const shown = [...listed].filter((each) =>
    `${each.join(' ')} ${phoneText(each[0])}`.toLowerCase().includes(wanted),
  );
  return (
    <fieldset>
      <legend className="sr-only">Caller numbers</legend>
      {listed.size > 12 && (
        <TextField
          label="Find a number"
          type="search"
          value={sought}
          onChange={({ target }) => setSought(target.value)}
        />
      )}
      <div className="mt-2 grid max-h-72 gap-x-4 gap-y-2 overflow-auto sm:grid-cols-2 lg:grid-cols-3">
        {box('all', 'All numbers of the account', 'when the campaign starts')}
        {!from.includes('all') &&
          shown.slice(0, 200).map(([number, told]) => box(number, phoneText(number), told))}
      </div>
      {fault && <p className="mt-2 text-sm text-bad">{fault}</p>}
      {numbers.data?.failed.map(({ key, detail }) => (
        <p key={key} className="mt-1 text-sm text-warn">
          The numbers of the key {key} could not be listed: {detail}
        </p>
      ))}
    </fieldset>
  );
}
