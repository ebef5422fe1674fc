import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Mark } from '../../kit/badge.tsx';
import { classes, counted } from '../../kit/words.ts';
import { Defaults, OrderWords, risksOf } from '../../order/words.tsx';
import type { Draft } from './draft.ts';
import type { Lack } from './lacks.ts';
import { orderedOf } from './order.ts';
import { fewPeople } from './start-dialog.tsx';
import type { Step } from './step-names.ts';
import { groupsIn, titles } from './steps.ts';

/** What will happen as the draft stands, each part with the way to its step; with its defaults when it is whole. */
type SummaryProps = { draft: Draft; isWhole?: boolean; lacks?: readonly Lack[] };

export function Summary({ draft, isWhole = false, lacks = [] }: SummaryProps) {
  const order = orderedOf(draft);
  const missing = (step: Step) => lacks.filter((each) => each.step === step);
  const part = (step: Step, told?: ReactNode) => (
    <div className="break-inside-avoid">
      <dt className="mb-1">
        <Link to="/campaigns/new" search={{ step }} className="link font-medium">
          {titles[step]}
        </Link>
      </dt>
      <dd className="min-w-0 space-y-1">
        {missing(step).map(({ words }) => (
          <p key={words} className="text-quiet">
            {words}
          </p>
        ))}
        {missing(step).length === 0 && told}
        {groupsIn(step).map(({ name }) => (
          <div key={name}>
            <OrderWords group={name} order={order} />
          </div>
        ))}
      </dd>
    </div>
  );
  return (
    <>
      <dl className={classes('space-y-3 [overflow-wrap:anywhere]', isWhole && 'gap-x-10 lg:columns-2')}>
        {part('people', peopleWords(draft))}
        {part('calls')}
        {part('hours')}
        {part(
          'limits',
          // The start itself proposes to hear the first calls.
          risksOf(order, fewPeople).map(({ field, words }) => (
            <p key={field} className="flex items-start gap-1.5 text-warn [&>svg]:mt-1">
              <Mark shape="up" />
              {words}
            </p>
          )),
        )}
      </dl>
      {isWhole && (
        <div className="mt-4">
          <Defaults order={order} />
        </div>
      )}
    </>
  );
}

function peopleWords({ name, file, found, country, map }: Draft) {
  if (!file) return <p className="text-quiet">Nobody yet.</p>;
  const used = Object.entries(map).map(([role, column]) => `${role} from the column ${column}`);
  const people = found && `${counted(found.people, 'person', 'people')} to call`;
  const parts = [file.name, people, country && `national numbers of ${country}`, ...used];
  return (
    <p>
      {name.trim() && <b>{name}: </b>}
      {parts.filter(Boolean).join(', ')}.
    </p>
  );
}
