import { useState } from 'react';
import { usePages } from '../../api/pages.ts';
import { Button } from '../../kit/button.tsx';
import { Command } from '../../kit/copy.tsx';
import { Empty } from '../../kit/empty.tsx';
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
        Each person and each program that asks the API has one of its own, with the least role that it needs.
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
      <Roles />
      {creating && <CreateToken onClose={() => setCreating(false)} />}
    </>
  );
}

function Roles() {
  return (
    <dl className="mt-6 grid gap-x-6 gap-y-1 text-sm sm:grid-cols-[8rem_minmax(0,1fr)]">
      <dt className="font-medium">read</dt>
      <dd className="text-quiet">sees numbers and states, no phones, names or transcripts</dd>
      <dt className="font-medium">read people</dt>
      <dd className="text-quiet">sees people too</dd>
      <dt className="font-medium">operate</dt>
      <dd className="text-quiet">starts, pauses, calls and suppresses too</dd>
      <dt className="font-medium">admin</dt>
      <dd className="text-quiet">changes contact rules, webhooks and tokens too</dd>
    </dl>
  );
}
