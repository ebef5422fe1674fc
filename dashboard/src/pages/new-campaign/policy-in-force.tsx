import { type ReactNode, useState } from 'react';
import { useAct, useAsk } from '../../data/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { Read } from '../../kit/empty.tsx';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { isWithoutRules, RuleLines } from '../policy/rules.tsx';
import { rulesOf, type WrittenRules } from '../policy/written.ts';

/** The contact rules that hold for every campaign, next to the hours that they narrow. */
export function PolicyInForce({ country }: { country: string }) {
  const policy = useAsk('GET /api/policy', {});
  return (
    <Section
      id="policy"
      title="Contact rules in force"
      acts={<PageLink to="/policy">See and change them</PageLink>}
    >
      <Read of={policy} lines={2}>
        {(data) => (
          <RuleList
            rules={rulesOf(data)}
            proposal={<Proposal country={country} version={data.version ?? 0} />}
          />
        )}
      </Read>
    </Section>
  );
}

function RuleList({ rules, proposal }: { rules: WrittenRules; proposal: ReactNode }) {
  if (isWithoutRules(rules)) {
    return (
      <>
        <p className="text-quiet">
          There are none: only the hours of this campaign hold. A pack can put the legal hours of a country in
          force.
        </p>
        {proposal}
      </>
    );
  }
  return (
    <>
      <p className="mb-2">They hold for every campaign. The narrower of these and the hours above decides.</p>
      <RuleLines rules={rules} />
    </>
  );
}

/** The legal hours of the list's country, where a pack has them and nobody chose them yet. */
function Proposal({ country, version }: { country: string; version: number }) {
  const [isAsked, setAsked] = useState(false);
  const may = useMay('admin');
  const packs = useAsk('GET /api/policy/packs', {});
  const set = useAct('PUT /api/policy', {
    quiet: true,
    done: () => 'The legal hours are in force, for every campaign.',
    onDone: () => setAsked(false),
  });
  const wanted = country.trim().toUpperCase() || guessOf(navigator.languages);
  const pack = packs.data?.items.find(({ rows }) => rows.some(({ area }) => area === wanted));
  if (!pack) return null;
  return (
    <div className="mt-3 flex flex-wrap items-center gap-3 rounded-lg border border-warn bg-warn-soft px-4 py-3">
      <p className="min-w-0 flex-1">
        <b className="font-semibold">Proposed: {pack.title}.</b> Each row of it names its source.
      </p>
      {may && <Button onClick={() => setAsked(true)}>Put them in force</Button>}
      <Confirm
        open={isAsked}
        onClose={() => setAsked(false)}
        title={`Put the ${pack.title} in force?`}
        act="Put them in force"
        busy={set.isPending}
        onAct={() => set.run({ body: { hours: [pack.name] }, ifMatch: version })}
        problem={set.error}
      >
        <p>
          They hold for every campaign from the next call on. Contact rules shows them, and switches them off.
        </p>
      </Confirm>
    </div>
  );
}

/** The country of the viewer's language, such as US of en-US. */
function guessOf(languages: readonly string[]): string | undefined {
  return languages.map((each) => /-([A-Z]{2})$/.exec(each)?.[1]).find(Boolean);
}
