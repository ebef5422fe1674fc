import { useState } from 'react';
import type { Token } from '../../api/ask.ts';
import { lookAs } from '../../api/look.ts';
import { useAct, useAsk, usePages } from '../../data/queries.ts';
import { Badge, Button } from '../../kit/basics.tsx';
import { FormDialog, SelectField, ShownOnce, TextField, useForm } from '../../kit/form.tsx';
import { Empty, Glance, Page, Section } from '../../kit/page.tsx';
import { Link } from '../../kit/router.tsx';
import { type Column, DataTable, Listing, left } from '../../kit/table/data-table.tsx';
import { Ago, Facts, Time } from '../../kit/values.tsx';
import { counted, whoText } from '../../kit/words.ts';
import { ConfirmAct, Opens, useOpens } from '../../shell/opens.tsx';
import { roles, roleText } from '../../shell/reads.ts';
import { sentenceOf } from '../activity/sentences.ts';
import { Until } from '../suppressions/list.tsx';

/** The tokens that may ask the API: what each may do, when it was last used, when it ends; and the roles. */
export function TokensPage() {
  const list = usePages('GET /api/tokens', {});
  const [create, dialog] = useOpens({ words: 'Create a token', may: 'admin', kind: 'main' }, (close) => (
    <CreateToken onClose={close} />
  ));
  const rows = [...(list.rows ?? [])].sort((a, b) => rank(a) - rank(b));
  return (
    <Page title="Tokens" acts={list.rows?.length !== 0 && create}>
      {dialog}
      {rows.length > 0 && <Whole rows={rows} />}
      <div className="mb-8">
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
          {() => <DataTable label="Tokens" rows={rows} columns={columns} />}
        </Listing>
      </div>
      {/* Drawn when nothing comes above it any more. */}
      {list.rows && (
        <Section title="What each role may do" note="give each the least that it needs" ruled>
          <Facts
            look="wide"
            of={roles.map((role, nth) => [
              roleText(role),
              `May ${nth > 0 ? 'also ' : ''}${abilities[role]}.`,
            ])}
          />
          <p className="mt-3 flex flex-wrap items-center gap-2 text-sm">
            See this page as a token with the role{' '}
            {roles.slice(0, -1).map((role) => (
              <Button key={role} small onClick={() => lookAs(role)} aria-label={`Look as ${roleText(role)}`}>
                {roleText(role)}
              </Button>
            ))}
          </p>
        </Section>
      )}
    </Page>
  );
}

/** What each role adds to the one before it. */
const abilities: Record<Token['role'], string> = {
  read: 'see campaigns, keys and reports',
  read_people: 'see people and results',
  operate: 'start, pause, call, suppress and settle',
  admin: 'set rules, tokens and webhooks, erase people',
};
const mayText = (role: Token['role']) =>
  `It may ${roles
    .slice(0, roles.indexOf(role) + 1)
    .map((each) => abilities[each])
    .join('; ')}.`;

/** Whether it ends within the week: who uses it needs another one. */
const endsSoon = ({ ends_at: at }: Token) =>
  at !== null && Date.parse(at) > Date.now() && Date.parse(at) - Date.now() < 7 * 86_400_000;

/** Those to look at stand first: without an end, of these the ones that may do the most, then ending within the week. */
const rank = (token: Token) =>
  token.ends_at === null ? -roles.indexOf(token.role) : endsSoon(token) ? 1 : 2;

const columns: readonly Column<Token>[] = [
  left('name', 'Name', ({ name, person }) => (
    <span className="break-words">
      <span className="font-medium">{name}</span>
      {person && person !== name && <span className="block text-xs text-quiet">{person}</span>}
    </span>
  )),
  left('role', 'Role', { from: 'sm' }, ({ role }) => (
    <span title={mayText(role)} className={role === 'admin' ? 'font-medium' : 'text-quiet'}>
      {roleText(role)}
    </span>
  )),
  left('used', 'Last use', { from: 'sm', named: true }, ({ used_at: at }) =>
    at ? (
      <Ago at={at} />
    ) : (
      <span className="text-quiet">
        never<span className="max-sm:hidden"> used</span>
      </span>
    ),
  ),
  left('ends', 'Ends', { from: 'sm', named: true }, (token) => <Ends of={token} />),
  left('made', 'Made by', { from: 'xl' }, ({ made_at: at, made_by: by }) => (
    <>
      {whoText({ who: by, person: null })} <Time at={at} />
    </>
  )),
  left('did', 'Last act', { from: 'lg' }, ({ name, role }) => (
    // As wide before it is known.
    <span className="block w-52 truncate xl:w-80">
      {role.startsWith('read') ? <span className="text-quiet">it only reads</span> : <LastAct of={name} />}
    </span>
  )),
  // One to look at is replaced: its user gets another one, and only then it is revoked.
  left('acts', '', { number: true }, (token) => (
    <span className="inline-flex gap-4">
      {rank(token) < 2 && (
        <Opens words="Replace" label={`Replace ${token.name}`} may="admin" small>
          {(close) => <CreateToken old={token} onClose={close} />}
        </Opens>
      )}
      <Opens words="Revoke" label={`Revoke ${token.name}`} may="admin" kind="quiet" small>
        {(close) => <Revoke of={token} onClose={close} />}
      </Opens>
    </span>
  )),
];

function LastAct({ of: who }: { of: string }) {
  const all = useAsk('GET /api/activity', { who, limit: 1 }, { everyMs: 30_000 }).data?.items;
  if (!all) return null;
  const [last] = all;
  if (!last) return <span className="text-quiet">nothing yet</span>;
  return (
    <Link to={`/activity?who=${encodeURIComponent(who)}`} className="hover:underline">
      {sentenceOf(last).replace('{campaign}', last.campaign ?? 'a campaign')}{' '}
      <span className="text-quiet">
        <Ago at={last.at} />
      </span>
    </Link>
  );
}

function Ends({ of: token }: { of: Token }) {
  const { ends_at: at } = token;
  if (at === null) return <Badge state="warning" label="never" />;
  if (!endsSoon(token)) return <Until at={at} />;
  return (
    <span className="text-warn">
      <Until at={at} />, <Ago at={at} />
    </span>
  );
}

function Whole({ rows }: { rows: readonly Token[] }) {
  const never = rows.filter(({ ends_at: at }) => at === null);
  const [worst] = never;
  const soon = rows.filter(endsSoon).length;
  const ends =
    soon > 0 ? `${counted(soon, 'token ends', 'tokens end')} within a week.` : 'Each of these tokens ends.';
  if (!worst)
    return (
      <Glance level={soon > 0 ? 'watch' : 'fine'} title={ends}>
        One for each person and each program, with the least role it needs.
      </Glance>
    );
  const { role, name, person } = worst;
  const others = never.length - 1;
  const who = `The ${role === 'admin' ? 'admin ' : ''}token ${person ? `of ${person}` : `“${name}”`}`;
  const title = others > 0 ? `${who} and ${counted(others, 'other')} never end.` : `${who} never ends.`;
  return (
    <Glance level="watch" title={title}>
      If one leaks, it works until it is revoked. Replace it with one that ends.
    </Glance>
  );
}

const Revoke = ({ of: { id, name }, onClose }: { of: Token; onClose(): void }) => (
  <ConfirmAct
    onClose={onClose}
    title={`Revoke ${name}?`}
    act="Revoke"
    danger
    name="DELETE /api/tokens/{id}"
    asked={{ id }}
    done={() => `The token ${name} is revoked.`}
  >
    {name} stops working in every process within seconds. Anyone who uses it needs another one.
  </ConfirmAct>
);

/** `wall screen` as `wall screen 2`: no two tokens have one name. */
const nextName = (name: string) =>
  name.replace(/(?: (\d+))?$/, (_, n?: string) => ` ${n ? Number(n) + 1 : 2}`);

/** Makes a token, and shows it once; where it takes the place of an `old` one, that may be revoked then. */
function CreateToken({ old, onClose }: { old?: Token; onClose(): void }) {
  const create = useAct('POST /api/tokens', { quiet: true });
  const [isCopied, setCopied] = useState(false);
  const { typed, field, given, frame } = useForm(
    {
      name: old ? nextName(old.name) : '',
      person: old?.person ?? '',
      role: old?.role ?? 'read',
      ends: '90d',
    },
    create,
  );
  const made = create.data;
  if (old && isCopied) return <Revoke of={old} onClose={onClose} />;
  if (made) {
    return (
      <ShownOnce
        title={`The token ${made.name}`}
        secret={made.token}
        onClose={old ? () => setCopied(true) : onClose}
      >
        Send it as <code>Authorization: Bearer …</code>, or log in with it on this page.
      </ShownOnce>
    );
  }
  return (
    <FormDialog
      title={old ? `Replace ${old.name}` : 'Create a token'}
      onClose={onClose}
      act="Create"
      onSend={() => create.run({ body: { name: '', ...(given() as { role: Token['role'] }) } })}
      {...frame}
    >
      <TextField {...field('name', 'Name', 'Its purpose, as the list of tokens shows it.')} />
      <TextField {...field('person', 'Person', 'Its owner, whom the activity names. Empty for a program.')} />
      <SelectField
        choices={roles.map((role) => ({ value: role, label: roleText(role) }))}
        {...field('role', 'Role', mayText(typed.role as Token['role']))}
      />
      <TextField {...field('ends', 'Ends', 'A date, a time or a span such as 90d. Empty is never.')} />
    </FormDialog>
  );
}
