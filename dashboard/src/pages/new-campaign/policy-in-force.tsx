import type { ReactNode } from 'react';
import type { PolicyVersion } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Section } from '../../kit/card.tsx';
import { Read } from '../../kit/empty.tsx';
import { PageLink } from '../../shell/page-link.tsx';
import { PutInForce, usePack, usePeoplePack } from '../policy/put-in-force.tsx';
import { isWithoutRules, RuleLines, rulesOf, type WrittenRules } from '../policy/rules.tsx';

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
        {(data) => <RuleList rules={rulesOf(data)} proposal={<Proposal country={country} policy={data} />} />}
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
function Proposal({ country, policy }: { country: string; policy: PolicyVersion }) {
  const named = usePack(country);
  const { pack: usual } = usePeoplePack();
  const pack = country ? named : usual;
  if (!pack) return null;
  return (
    <div className="mt-3 flex flex-wrap items-center gap-3 rounded-lg border border-line bg-quiet-soft px-4 py-3">
      <p className="min-w-0 flex-1">
        <b className="font-semibold">Proposed: {pack.title}.</b> Each row of it names its source.
      </p>
      <PutInForce pack={pack} policy={policy} words="Put them in force" />
    </div>
  );
}
