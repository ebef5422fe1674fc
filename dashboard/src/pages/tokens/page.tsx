import { useState } from 'react';
import { usePages } from '../../data/pages.ts';
import { Button } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Command } from '../../kit/copy.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Fact, Facts } from '../../kit/facts.tsx';
import { Listing } from '../../kit/listing.tsx';
import { PageHead } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table/data-table.tsx';
import { useMay } from '../../shell/me.ts';
import { columns, keyOf } from './columns.tsx';
import { CreateToken } from './create.tsx';

/** The tokens that may ask the API: the named ones, with what each may do and when it was last used. */
export function TokensPage() {
  const list = usePages('GET /api/tokens', {});
  const mayAct = useMay('admin');
  const [creating, setCreating] = useState(false);
  const create = (
    <Button kind="main" onClick={() => setCreating(true)}>
      Create a token
    </Button>
  );
  return (
    <>
      <PageHead title="Tokens" acts={mayAct && create}>
        One for each person and each program, with the least role it needs.
      </PageHead>
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
        {(rows) => <DataTable label="Tokens" rows={rows} columns={columns} keyOf={keyOf} />}
      </Listing>
      <div className="mt-6">
        <Roles />
      </div>
      {creating && <CreateToken onClose={() => setCreating(false)} />}
    </>
  );
}

const roles = [
  ['read', 'sees numbers and states, no phones, names or transcripts'],
  ['read people', 'sees people too'],
  ['operate', 'starts, pauses, calls and suppresses too'],
  ['admin', 'changes contact rules, webhooks and tokens too'],
] as const;

function Roles() {
  return (
    <Section id="roles" title="What each role may do">
      <Facts>
        {roles.map(([role, may]) => (
          <Fact key={role} name={role}>
            {may}
          </Fact>
        ))}
      </Facts>
    </Section>
  );
}
