import type { ReactNode } from 'react';
import { Badge } from '../../kit/badge.tsx';
import { Phone } from '../../kit/phone.tsx';
import { navigate, useSearch } from '../../kit/router.tsx';
import { Split } from '../../kit/side-panel.tsx';
import { type Column, DataTable, left } from '../../kit/table/data-table.tsx';
import { clockText } from '../../kit/time.tsx';
import { Call, type Heard, useJudging } from './call.tsx';

export const beat = { everyMs: 15_000, on: ['attempt.'] };

/** The calls with what was said of them here a moment ago. */
export function useHeard(calls: readonly Omit<Heard, 'as'>[] = []): Heard[] {
  const judging = useJudging();
  return calls.map((each) => ({ ...each, as: judging.get(each.attempt) ?? each.judgement?.as ?? null }));
}

/** Keeps in the address which calls are listed, and which one is heard. */
export function useGo() {
  const search = useSearch('/listen');
  return (change: Partial<typeof search>) =>
    void navigate({ to: '/listen', search: { ...search, ...change }, replace: true, resetScroll: false });
}

/** Calls in a list below `children`, and the one that is heard beside it. */
type ListeningProps = {
  label: string;
  rows: readonly Heard[];
  /** All of them, where `rows` are those that were looked for. */
  of?: readonly Heard[];
  then?: string;
  foot?: ReactNode;
  children: ReactNode;
};

export function Listening({ label, rows, of = rows, then = '', foot, children }: ListeningProps) {
  const { call: wanted, said } = useSearch('/listen');
  const go = useGo();
  const shown =
    rows.find(({ attempt }) => attempt === wanted) ?? rows.find(({ as }) => as === null) ?? rows[0];
  const open = ({ attempt }: Heard) => go({ call: attempt });
  /** The next call that nobody has judged yet; after the last one it begins again at the top. */
  const next = () => {
    const at = rows.findIndex(({ attempt }) => attempt === shown?.attempt);
    const after = [...rows.slice(at + 1), ...rows.slice(0, at)].find(({ as }) => as === null);
    open(after ?? rows[at + 1] ?? shown!);
  };
  return (
    <Split
      list={
        <>
          <div className="px-4 lg:px-6">{children}</div>
          {rows.length > 0 && (
            <DataTable
              label={label}
              rows={rows}
              columns={columnsOf(rows[0]!.campaign ? whose : what)}
              keyOf={({ attempt }) => attempt}
              onOpen={open}
              onMove={open}
              current={shown?.attempt}
            />
          )}
          {foot}
        </>
      }
    >
      {shown && (
        <Call
          key={shown.attempt}
          call={shown}
          nth={of.findIndex(({ attempt }) => attempt === shown.attempt) + 1}
          of={of.length}
          said={said}
          then={then}
          onNext={next}
        />
      )}
    </Split>
  );
}

const quiet = (words: ReactNode) => <span className="text-quiet">{words}</span>;
const what: Column<Heard> = left(
  'outcome',
  'Outcome',
  ({ outcome }) => outcome && <Badge state={outcome} tone="quiet" />,
  { px: 104 },
);
const whose: Column<Heard> = left('campaign', 'Campaign', ({ campaign }) => quiet(campaign), { px: 104 });

const columnsOf = (middle: Column<Heard>): Column<Heard>[] => [
  left(
    'person',
    'Person',
    ({ name, phone }) => (
      <span className="font-medium" title={name ?? undefined}>
        {name ?? <Phone phone={phone} />}
      </span>
    ),
    { px: 128 },
  ),
  middle,
  left('length', 'Length', ({ duration }) => quiet(duration === null ? '–' : clockText(duration)), {
    number: true,
    px: 64,
  }),
  left('judged', 'Judged', ({ as }) => as && <Badge state={as} />, { px: 104 }),
];
