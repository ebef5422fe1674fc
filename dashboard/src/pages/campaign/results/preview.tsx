import { useNavigate } from '@tanstack/react-router';
import type { Problem } from '../../../api/ask.ts';
import type { ListedRecipient } from '../../../api/description.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Section } from '../../../kit/card.tsx';
import { Read } from '../../../kit/empty.tsx';
import { type Column, DataTable } from '../../../kit/table/data-table.tsx';
import { Time } from '../../../kit/time.tsx';
import { cost, count } from '../../../kit/words.ts';
import { personAddress } from '../../../shell/find.ts';
import { learnedOf, phone, talked, who } from '../../../shell/person-columns.tsx';

/** The newest rows of the results, as the file has them; a press opens the person. */
type PreviewProps = {
  found: {
    data: { items: ListedRecipient[]; next: string | null } | undefined;
    error: Problem | null;
    refetch(): unknown;
  };
  title: string;
  readsOptOuts: boolean;
};

export function Preview({ found, title, readsOptOuts }: PreviewProps) {
  const navigate = useNavigate();
  return (
    <Section id="preview" title={title} note="the latest on top; press one to see the call" bare>
      <Read of={found}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="border-t border-line py-2 text-sm text-quiet">No row yet.</p>
          ) : (
            <DataTable
              label={title}
              rows={items}
              columns={readsOptOuts ? columnsRead : columnsUnread}
              keyOf={({ id }) => id}
              onOpen={(row) => void navigate({ to: personAddress(row), search: { row: row.id } })}
            />
          )
        }
      </Read>
    </Section>
  );
}

const columnsOf = (readsOptOuts: boolean): readonly Column<ListedRecipient>[] => [
  { id: 'row', head: 'Row', number: true, cell: ({ row }) => count(row) },
  who,
  phone,
  {
    id: 'result',
    head: 'Result',
    cell: (row) => <Badge state={row.outcome ?? row.state} />,
  },
  talked,
  learnedOf(readsOptOuts),
  {
    id: 'cost',
    head: 'Cost',
    number: true,
    from: 'lg',
    has: (row) => row.cost !== null,
    cell: (row) => (row.cost === null ? '–' : cost(row.cost, row.currency)),
  },
  {
    id: 'ended',
    head: 'Ended',
    number: true,
    from: 'sm',
    has: ({ ended_at: at }) => at !== null,
    cell: ({ ended_at: at }) => at && <Time at={at} />,
  },
];
const columnsRead = columnsOf(true);
const columnsUnread = columnsOf(false);
