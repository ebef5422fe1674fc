import type { Token } from '../../api/description.ts';
import { usePages } from '../../data/pages.ts';
import { useAct } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Fact, Facts } from '../../kit/facts.tsx';
import { SelectField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Glance } from '../../kit/glance.tsx';
import { Listing } from '../../kit/listing.tsx';
import { PageHead } from '../../kit/page.tsx';
import { ShownOnce } from '../../kit/shown-once.tsx';
import { type Column, DataTable, left } from '../../kit/table/data-table.tsx';
import { Ago, Time } from '../../kit/time.tsx';
import { useForm } from '../../kit/use-fields.ts';
import { counted } from '../../kit/words.ts';
import { roleText } from '../../shell/me.ts';
import { AskFirst, useOpens } from '../../shell/opens.tsx';
import { whoText } from '../activity/sentences.ts';
import { Until } from '../suppressions/columns.tsx';

/** The tokens that may ask the API: what each may do, when it was last used, when it ends; and the roles. */
export function TokensPage() {
  const list = usePages('GET /api/tokens', {});
  const [create, dialog] = useOpens({ words: 'Create a token', may: 'admin', kind: 'main' }, (close) => (
    <CreateToken onClose={close} />
  ));
  const rows = [...(list.rows ?? [])].sort((a, b) => rank(a) - rank(b));
  return (
    <>
      <PageHead title="Tokens" acts={list.rows?.length !== 0 && create} />
      {dialog}
      {rows.length > 0 && <Whole rows={rows} />}
      <div className="grid grid-cols-1 items-start gap-x-10 gap-y-6 xl:grid-cols-[minmax(0,1.55fr)_minmax(0,1fr)]">
        <div className="min-w-0">
          <Listing
            list={list}
            empty={
              <Empty
                title="No token yet"
                act={create}
                command="carillon token create --name reporting --role read --ends 90d"
              >
                A token lets a person or a program use this page and the API from another machine.
              </Empty>
            }
          >
            {() => <DataTable label="Tokens" rows={rows} columns={columns} keyOf={({ id }) => id} />}
          </Listing>
        </div>
        <Section id="roles" title="Roles" note="give each the least that it needs">
          <Facts>
            {roles.map((role) => (
              <Fact key={role} name={roleText(role)}>
                {may[role]}
              </Fact>
            ))}
          </Facts>
        </Section>
      </div>
    </>
  );
}

/** What each role may do. */
const may: Record<Token['role'], string> = {
  read: 'sees campaigns, keys and reports, but no person: for a wall board or Prometheus',
  read_people: 'sees people and results too',
  operate: 'sees all; starts, pauses, calls, suppresses and settles',
  admin: 'may do everything: contact rules, tokens, webhooks and erasing people too',
};

const soonMs = 7 * 86_400_000;

/** Whether it ends within the week: who uses it needs another one. */
const endsSoon = ({ ends_at: at }: Token) =>
  at !== null && Date.parse(at) > Date.now() && Date.parse(at) - Date.now() < soonMs;

/** Those to look at stand first: without an end, then ending within the week. */
const rank = (token: Token) => (token.ends_at === null ? 0 : endsSoon(token) ? 1 : 2);

const columns: readonly Column<Token>[] = [
  left('name', 'Name', ({ name, person }) => (
    <span className="break-words">
      <span className="font-medium">{name}</span>
      {person && person !== name && <span className="block text-xs text-quiet">{person}</span>}
    </span>
  )),
  left('role', 'Role', ({ role }) => <span title={`It ${may[role]}.`}>{roleText(role)}</span>, {
    from: 'sm',
  }),
  left(
    'used',
    'Last use',
    ({ used_at: at }) => (at ? <Ago at={at} /> : <span className="text-quiet">not used yet</span>),
    { from: 'sm', named: true },
  ),
  left('ends', 'Ends', (token) => <Ends of={token} />, { from: 'sm', named: true }),
  left(
    'made',
    'Made',
    ({ made_at: at, made_by: by }) => (
      <>
        <Time at={at} />{' '}
        <span className="text-quiet">
          by {whoText({ who: by, person: null }).replace(/^This m/, 'this m')}
        </span>
      </>
    ),
    { from: 'lg' },
  ),
  left('revoke', '', (token) => <Revoke token={token} />, { number: true }),
];

function Ends({ of: token }: { of: Token }) {
  const { ends_at: at } = token;
  if (at === null) return <Badge state="warning" shape="half" label="never" />;
  if (!endsSoon(token)) return <Until at={at} />;
  return (
    <span className="text-warn">
      <Until at={at} />, <Ago at={at} />
    </span>
  );
}

const roles = Object.keys(may) as Token['role'][];

/** What to revoke: tokens that never end; and who needs another one soon. */
function Whole({ rows }: { rows: readonly Token[] }) {
  const never = rows.filter(({ ends_at: at }) => at === null);
  const soon = rows.filter(endsSoon).length;
  if (never.length === 0)
    return (
      <Glance
        level={soon > 0 ? 'watch' : 'fine'}
        title={
          soon > 0
            ? `${counted(soon, 'token ends', 'tokens end')} within a week.`
            : 'Each of these tokens ends.'
        }
      >
        One for each person and each program, with the least role it needs.
      </Glance>
    );
  return (
    <Glance
      level="watch"
      title={
        never.length === 1 ? `The token “${never[0]!.name}” never ends.` : `${never.length} tokens never end.`
      }
    >
      If one leaks, it works until it is revoked: give its user one with an end, then revoke it.
    </Glance>
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

/** Makes a token, and shows it once. */
function CreateToken({ onClose }: { onClose(): void }) {
  const create = useAct('POST /api/tokens', { quiet: true });
  const { typed, field, given, frame } = useForm({ name: '', person: '', role: 'read', ends: '90d' }, create);
  const made = create.data;
  if (made) {
    return (
      <ShownOnce title={`The token ${made.name}`} secret={made.token} onClose={onClose}>
        Send it as <code>Authorization: Bearer …</code>, or log in with it on this page.
      </ShownOnce>
    );
  }
  return (
    <FormDialog
      title="Create a token"
      onClose={onClose}
      act="Create"
      onSend={() => create.run({ body: { name: '', ...(given() as { role: Token['role'] }) } })}
      {...frame}
    >
      <TextField label="Name" help="Its purpose, as the list of tokens shows it." {...field('name')} />
      <TextField
        label="Person"
        help="Its owner, whom the activity names. Empty for a program."
        {...field('person')}
      />
      <SelectField
        label="Role"
        choices={roles.map((role) => ({ value: role, label: roleText(role) }))}
        help={`It ${may[typed.role as Token['role']]}.`}
        {...field('role')}
      />
      <TextField
        label="Ends"
        help="A date, a time or a span such as 90d. Empty is never."
        {...field('ends')}
      />
    </FormDialog>
  );
}
