import type { ReactNode } from 'react';
import { alertKinds } from '../../api/alert-kinds.ts';
import type { Alert, AlertAddress } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { buttonClasses } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Commands } from '../../kit/commands.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { Ago, timeText } from '../../kit/time.tsx';
import { PageLink } from '../../shell/page-link.tsx';
import { placeOfAlert } from '../activity/places.ts';

/** Every kind of alert by what it is about, what is on now before them, and who is told. */
type Code = Alert['code'];

export const kindWords = { slack: 'Slack', email: 'e-mail', url: 'a program' };
export const isCritical = ({ severity }: Pick<Alert, 'severity'>) => severity === 'critical';

/** The gravest first; what no group names is of machines. */
const named: readonly (readonly [title: string, codes: readonly Code[]])[] = [
  ['Calls and lists', ['unknown-rising', 'import-failed', 'bulk-failed']],
  ['Keys and caller numbers', ['key-denied', 'key-failing', 'number-resting']],
  ['Money', ['key-out-of-credit', 'budget-near']],
  ['Messages to others', ['alerts-unsent', 'webhook-down']],
];
const isOther = (code: Code) => !named.some(([, codes]) => codes.includes(code));
const others = (Object.keys(alertKinds) as Code[]).filter(isOther);
const groups = [...named, ['Processes and machines', others] as const];

type Line = { id: string; code: Code; on?: Alert; head?: ReactNode };
type WatchedProps = { raised: readonly Alert[]; addresses: readonly AlertAddress[] };

export function WhatIsWatched({ raised, addresses }: WatchedProps) {
  const query = { verb: 'alert.raise', limit: 200 };
  const past = useAsk('GET /api/activity', { query }, { on: ['alert.'] }).data?.items ?? [];
  const now = [...raised]
    .sort((a, b) => Number(isCritical(b)) - Number(isCritical(a)))
    .map(
      (on, nth): Line => ({ id: `${on.code} ${on.subject}`, code: on.code, on, head: nth === 0 && 'On now' }),
    );
  const off = groups.flatMap(([title, codes]) => {
    const head = <span className="font-normal text-quiet">{title}</span>;
    return codes
      .filter((code) => !raised.some((alert) => alert.code === code))
      .map((code, at): Line => ({ id: code, code, head: at === 0 && head }));
  });
  const columns: readonly Column<Line>[] = [
    what,
    {
      id: 'when',
      head: 'When it begins',
      from: 'sm',
      cell: ({ code }) => alertKinds[code].when ?? 'at once',
    },
    {
      id: 'last',
      head: 'Last on',
      from: 'sm',
      named: true,
      cell({ code, on }) {
        const at = past.find(({ after }) => after?.code === code)?.at;
        return on ? `since ${timeText(on.since)}` : at ? <Ago at={at} /> : '–';
      },
    },
    {
      id: 'told',
      head: 'Who is told',
      from: 'sm',
      has: () => addresses.length > 0,
      cell({ code }) {
        const isTold = ({ only }: AlertAddress) =>
          !only || only.includes(code) || only.includes(alertKinds[code].severity);
        return (
          addresses
            .filter(isTold)
            .map(({ kind }) => kindWords[kind])
            .join(', ') || 'nobody'
        );
      },
    },
    act,
  ];
  return (
    <Section id="watched" title="What is watched" note="every ten seconds" bare>
      <DataTable
        label="What is watched"
        rows={[...now, ...off]}
        columns={columns}
        keyOf={({ id }) => id}
        headOf={({ head }) => head}
      />
    </Section>
  );
}

const what: Column<Line> = {
  id: 'what',
  head: 'What',
  cell: ({ code, on }) =>
    on ? (
      <div className="py-1.5">
        <Badge state={on.severity} label={on.title} />
        <p>{on.message}.</p>
        <p className="text-quiet">
          <Commands text={on.remedy} />
        </p>
      </div>
    ) : (
      <>
        {alertKinds[code].title}
        {isCritical(alertKinds[code]) && <span className="ml-2 font-medium text-bad">critical</span>}
      </>
    ),
};

const act: Column<Line> = {
  id: 'act',
  head: '',
  number: true,
  has: ({ on }) => on !== undefined,
  cell({ on }) {
    const place = on && placeOfAlert(on);
    return (
      place && (
        <PageLink to={place.to} className={buttonClasses()}>
          {place.words}
        </PageLink>
      )
    );
  },
};
