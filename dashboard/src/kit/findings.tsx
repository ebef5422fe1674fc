import type { ReactNode } from 'react';
import type { Finding as Found } from '../api/description.ts';
import { Badge } from './badge.tsx';
import { Commands } from './commands.tsx';

const looks = {
  ok: ['open', 'ok'],
  warn: ['warning', 'watch'],
  fail: ['critical', 'fault'],
} as const;

/** Checks or alerts, each with what came of it and what to do. */
type FindingsProps = {
  items: readonly (Pick<Found, 'what' | 'detail' | 'state' | 'remedy'> & {
    label?: ReactNode;
    act?: ReactNode;
  })[];
};

export function Findings({ items }: FindingsProps) {
  return (
    <ul className="divide-y divide-line">
      {items.map(({ state, what, detail, remedy, label, act }) => (
        <li
          key={`${what} ${detail}`}
          className="flex flex-wrap items-baseline justify-between gap-x-4 py-1.5"
        >
          <span className="font-medium">
            {label ? <Badge state={looks[state][0]} label={what} /> : what}{' '}
            <span className="text-sm font-normal text-quiet">{label}</span>
          </span>
          {label ? act : <Badge state={looks[state][0]} label={looks[state][1]} />}
          <span className="w-full text-sm text-quiet [overflow-wrap:anywhere]">
            {detail}
            {remedy && (
              <span className="block text-text">
                What to do: <Commands text={remedy} />
              </span>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
