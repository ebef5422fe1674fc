import type { Token } from '../../api/description.ts';
import { usePages } from '../../data/pages.ts';
import { Command } from '../../kit/copy.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { Listing } from '../../kit/listing.tsx';
import { PageHead } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table/data-table.tsx';
import { count, counted } from '../../kit/words.ts';
import { Opens } from '../../shell/opens.tsx';
import { columns, endsSoon, keyOf, rank } from './columns.tsx';
import { CreateToken } from './create.tsx';

/** The tokens that may ask the API: the named ones, with what each may do and when it was last used. */
export function TokensPage() {
  const list = usePages('GET /api/tokens', {});
  return (
    <>
      <PageHead
        title="Tokens"
        acts={
          <Opens words="Create a token" may="admin" kind="main">
            {(close) => <CreateToken onClose={close} />}
          </Opens>
        }
      />
      <Listing
        list={list}
        one="token"
        empty={
          <Empty title="There are no named tokens yet">
            <p>
              A token names who acts in the activity. Without one, only this machine may ask, or who has
              API_TOKEN.
            </p>
            <Command>carillon token create --name reporting --role read</Command>
          </Empty>
        }
      >
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
    </>
  );
}

/** What to revoke: a token that never ends; and who needs another one soon. */
function Whole({ rows, hasMore }: { rows: readonly Token[]; hasMore: boolean }) {
  const told = [
    sentenceOf(rows.filter(neverEnds), 'never end', ''),
    sentenceOf(rows.filter(endsSoon), 'end', ' within a week'),
  ].filter((each) => each !== null);
  const all = hasMore ? `The first ${count(rows.length)}` : counted(rows.length, 'token');
  return (
    <Glance level={told.length > 0 ? 'watch' : 'fine'} title={told[0] ?? `${all}, each with an end.`}>
      {told[1]} {rows.some(neverEnds) && 'Create another with an end, then revoke it. '}One for each person
      and each program, with the least role it needs.
    </Glance>
  );
}

const neverEnds = ({ ends_at: at }: Token) => at === null;

function sentenceOf([one, ...others]: readonly Token[], verb: string, when: string): string | null {
  if (!one) return null;
  if (others.length > 0) return `${count(others.length + 1)} tokens ${verb}${when}.`;
  return `The token “${one.name}” ${verb}s${when}.`;
}
