import type { Token } from '../../api/description.ts';
import { useAct } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import type { Column } from '../../kit/table/data-table.tsx';
import { Ago, Time } from '../../kit/time.tsx';
import { roleText } from '../../shell/me.ts';
import { AskFirst } from '../../shell/opens.tsx';
import { whoText } from '../activity/sentences.ts';
import { Until } from '../suppressions/columns.tsx';

/** The columns of the tokens, the last with the act that ends one. */
export const keyOf = ({ id }: Token) => id;

/** What each role may do. */
export const may: Record<Token['role'], string> = {
  read: 'sees campaigns, keys and reports, but no person: for a wall board or Prometheus',
  read_people: 'sees people and results too',
  operate: 'sees all; starts, pauses, calls, suppresses and settles',
  admin: 'may do everything: contact rules, tokens, webhooks and erasing people too',
};

export const columns: readonly Column<Token>[] = [
  {
    id: 'name',
    head: 'Name',
    cell: ({ name, person }) => (
      <span className="break-words">
        <span className="font-medium">{name}</span>
        {person && <span className="block text-sm text-quiet">{person}</span>}
      </span>
    ),
  },
  {
    id: 'role',
    head: 'Role',
    from: 'sm',
    cell: ({ role }) => <span title={`It ${may[role]}.`}>{roleText(role)}</span>,
  },
  {
    id: 'used',
    head: 'Last use',
    from: 'sm',
    named: true,
    cell: ({ used_at: at }) => (at ? <Ago at={at} /> : <span className="text-quiet">never</span>),
  },
  { id: 'ends', head: 'Ends', from: 'sm', named: true, cell: (token) => <Ends of={token} /> },
  {
    id: 'made',
    head: 'Made',
    from: 'lg',
    cell: ({ made_at: at, made_by: by }) => (
      <>
        <Time at={at} />{' '}
        <span className="text-quiet">
          by {whoText({ who: by, person: null }).replace(/^This m/, 'this m')}
        </span>
      </>
    ),
  },
  { id: 'revoke', head: '', number: true, cell: (token) => <Revoke token={token} /> },
];

const soonMs = 7 * 86_400_000;

/** Those to look at stand first: without an end, then ending within the week. */
export const rank = (token: Token) => (token.ends_at === null ? 0 : endsSoon(token) ? 1 : 2);

/** Whether it ends within the week: who uses it needs another one. */
export const endsSoon = ({ ends_at: at }: Token) =>
  at !== null && Date.parse(at) > Date.now() && Date.parse(at) - Date.now() < soonMs;

function Ends({ of: token }: { of: Token }) {
  const { ends_at: at } = token;
  if (at === null) return <Badge state="warning" label="never" />;
  return (
    <span className={endsSoon(token) ? 'text-warn' : undefined}>
      <Until at={at} />
      {endsSoon(token) && (
        <>
          , <Ago at={at} />
        </>
      )}
    </span>
  );
}

function Revoke({ token: { id, name } }: { token: Token }) {
  const revoke = useAct('DELETE /api/tokens/{id}', {
    quiet: true,
    done: () => `The token ${name} is revoked.`,
  });
  return (
    <AskFirst
      words="Revoke"
      label={`Revoke ${name}`}
      may="admin"
      small
      title={`Revoke ${name}?`}
      act="Revoke"
      of={revoke}
      onAct={() => revoke.mutateAsync({ params: { id } })}
    >
      It stops working in every process within seconds. Anyone who uses it needs another one.
    </AskFirst>
  );
}
