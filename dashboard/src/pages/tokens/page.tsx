import type { ReactNode } from 'react';
import type { Token } from '../../api/description.ts';
import { usePages } from '../../data/pages.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { Listing } from '../../kit/listing.tsx';
import { PageHead } from '../../kit/page.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { count, counted } from '../../kit/words.ts';
import { roleText } from '../../shell/me.ts';
import { useOpens } from '../../shell/opens.tsx';
import { Lately } from '../activity/entry.tsx';
import { columns, endsSoon, keyOf, may, rank } from './columns.tsx';
import { CreateToken } from './create.tsx';

/** The tokens that may ask the API: the named ones, with what each may do and when it was last used. */
export function TokensPage() {
  const list = usePages('GET /api/tokens', {});
  const [create, dialog] = useOpens({ words: 'Create a token', may: 'admin', kind: 'main' }, (close) => (
    <CreateToken onClose={close} />
  ));
  return (
    <>
      <PageHead title="Tokens" acts={list.rows?.length !== 0 && create} />
      {dialog}
      <Listing list={list} empty={<None act={create} />}>
        {(rows) => (
          <>
            <Whole rows={rows} hasMore={list.hasMore} />
            <DataTable
              label="Tokens"
              rows={[...rows].sort((a, b) => rank(a) - rank(b))}
              columns={columns}
              keyOf={keyOf}
            />
          </>
        )}
      </Listing>
      {Boolean(list.rows?.length) && <Below />}
    </>
  );
}

const None = ({ act }: { act: ReactNode }) => (
  <Below>
    <Empty
      title="No token yet"
      act={act}
      command="carillon token create --name reporting --role read --ends 90d"
    >
      A token lets a person or a program use this page and the API from another machine. Without one, only
      this machine has access, and anyone who knows the API_TOKEN of the settings.
    </Empty>
  </Below>
);

/** What each role may do, and which tokens came and went lately. */
function Below({ children }: { children?: ReactNode }) {
  return (
    <div className="mt-3 grid grid-cols-1 items-start gap-x-10 xl:grid-cols-2">
      <div>
        {children}
        <Section id="roles" title="Roles" note="give each the least that it needs" bare>
          <DataTable label="Roles" rows={roles} columns={roleColumns} keyOf={({ role }) => role} />
        </Section>
      </div>
      <Lately title="Made and revoked lately" verb="token" most={16} />
    </div>
  );
}

type Role = { role: Token['role']; rank: number };
const roles = (Object.keys(may) as Token['role'][]).map((role, rank): Role => ({ role, rank }));
const able = (head: string, least: number): Column<Role> => ({
  id: head,
  head,
  cell: ({ rank }) =>
    rank < least ? <span className="text-quiet">no</span> : <Badge state="done" label="yes" />,
});
const roleColumns: readonly Column<Role>[] = [
  {
    id: 'role',
    head: 'Role',
    cell: ({ role }) => (
      <span className="font-medium whitespace-nowrap" title={`It ${may[role]}.`}>
        {roleText(role)}
      </span>
    ),
  },
  able('Sees campaigns', 0),
  able('Sees people', 1),
  able('Calls, pauses', 2),
  able('Sets rules, erases', 3),
];

/** What to revoke: tokens that never end; and who needs another one soon. */
function Whole({ rows, hasMore }: { rows: readonly Token[]; hasMore: boolean }) {
  const never = rows.filter(({ ends_at: at }) => at === null).length;
  const soon = rows.filter(endsSoon).length;
  const all = hasMore ? `The first ${count(rows.length)}` : counted(rows.length, 'token');
  const title =
    never + soon === 0
      ? `${all}, each with an end.`
      : never > 0
        ? `${counted(never, 'token never ends', 'tokens never end')}.`
        : `${counted(soon, 'token ends', 'tokens end')} within a week.`;
  return (
    <Glance level={never + soon > 0 ? 'watch' : 'fine'} title={title}>
      {never > 0 && 'Create another with an end, then revoke it. '}One for each person and each program, with
      the least role it needs.
    </Glance>
  );
}
