import { type ReactNode, useState } from 'react';
import { useAsk } from '../../data/queries.ts';
import { Button, buttonClasses } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Fact, Facts } from '../../kit/facts.tsx';
import { AreaField, SelectField } from '../../kit/field.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { counted } from '../../kit/words.ts';
import { CloneCampaign } from '../campaign/acts/dialogs.tsx';
import type { Draft } from './draft.ts';
import { take } from './file-picker.tsx';
import { pastedList } from './pasted.ts';

/** Where a list can come from, while there is none: a file, pasted numbers, an earlier campaign; and how one looks. */
export function Beginning({ draft, children }: { draft: Draft; children: ReactNode }) {
  return (
    <>
      <div className="mb-6 grid gap-4 md:grid-cols-2">
        {children}
        <Paste draft={draft} />
      </div>
      <Example />
      <Earlier />
    </>
  );
}

function Paste({ draft }: { draft: Draft }) {
  const [text, setText] = useState('');
  return (
    <form
      className="rounded-lg border border-line p-4"
      onSubmit={(event) => {
        event.preventDefault();
        take(new File([pastedList(text)], 'pasted numbers.csv', { type: 'text/csv' }), draft);
      }}
    >
      <AreaField
        label="Or paste numbers"
        rows={4}
        value={text}
        onChange={({ target }) => setText(target.value)}
        placeholder={'+1 415 555 0101\n+1 415 555 0102, Ben Adler'}
        spellCheck={false}
        help="One person a line; or cells of a spreadsheet."
      />
      <Button type="submit" className="mt-2" disabled={text.trim() === ''}>
        Use these numbers
      </Button>
    </form>
  );
}

const sample = [
  { phone: '+14155550101', name: 'Ada Fox', clinic: 'Brookside', visit: 'Thursday 15:45' },
  { phone: '+14155550102', name: 'Ben Adler', clinic: 'Brookside', visit: 'Friday 09:10' },
  { phone: '+12125550103', name: 'Clara Nowak', clinic: 'Harbour', visit: 'Friday 11:30' },
];
type Sample = (typeof sample)[number];
const names = ['phone', 'name', 'clinic', 'visit'] as const;
const csv = [names, ...sample.map((row) => names.map((name) => row[name]))].map((cells) => cells.join(','));
const address = `data:text/csv,${encodeURIComponent(`${csv.join('\r\n')}\r\n`)}`;

function Example() {
  return (
    <Section
      id="example"
      title="How a list looks"
      acts={
        <a href={address} download="people.csv" className={buttonClasses('plain', true)}>
          Download this sample
        </a>
      }
      bare
    >
      <DataTable label="An example" rows={sample} columns={columns} keyOf={({ phone }) => phone} />
      <div className="mt-3 text-sm">
        <Facts names="narrow">
          <Fact name="phone">
            Needed. With + and the code of its country; for numbers without it, you say which country they are
            of.
          </Fact>
          <Fact name="name">How the person is named here, and to the agent.</Fact>
          <Fact name="all others">
            Variables that the agent can say, by these names. A column <code>timezone</code> or{' '}
            <code>state</code> tells where the person is, if the number does not.
          </Fact>
        </Facts>
      </div>
    </Section>
  );
}

const columns: readonly Column<Sample>[] = names.map((name) => ({
  id: name,
  head: name,
  cell: (row) => row[name],
}));

/** Its order and its list can be copied into a draft. */
function Earlier() {
  const campaigns = useAsk('GET /api/campaigns', { query: { limit: 50 } }).data?.items ?? [];
  const lists = campaigns.filter(({ kind, balance }) => kind === 'list' && balance.rows > 0);
  const [chosen, setChosen] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const campaign = lists.find(({ id }) => id === chosen) ?? lists[0];
  if (!campaign) return null;
  return (
    <Section id="earlier" title="Or call the people of an earlier campaign again">
      <div className="flex flex-wrap items-end gap-2">
        <SelectField
          label="Campaign"
          value={campaign.id}
          choices={lists.map(({ id, name, balance }) => ({
            value: id,
            label: `${name}: ${counted(balance.rows, 'person', 'people')}`,
          }))}
          onChange={({ target }) => setChosen(target.value)}
        />
        <Button onClick={() => setOpen(true)}>Copy it into a draft</Button>
        <span className="basis-full text-sm text-quiet">
          Its list and its settings, as never called. Nobody is called before you start the draft.
        </span>
      </div>
      {isOpen && <CloneCampaign campaign={campaign} withList onClose={() => setOpen(false)} />}
    </Section>
  );
}
