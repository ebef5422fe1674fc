import type { ReactNode } from 'react';
import { useAsk } from '../../api/queries.ts';
import { Section } from '../../kit/card.tsx';
import { Loading, Trouble } from '../../kit/empty.tsx';
import { PageLink } from '../../shell/page-link.tsx';

/** The contact rules that hold for every campaign, next to the hours that they narrow. */
type Rules = {
  hours?: string[];
  caps?: { calls: number; per: string }[];
  gap?: string;
  after_conversation?: string;
  not_on?: string[];
};

export const usePolicy = () => useAsk('GET /api/policy', {});

export function PolicyInForce() {
  const policy = usePolicy();
  return (
    <Section
      id="policy"
      title="Contact rules in force"
      acts={<PageLink to="/policy">Contact rules</PageLink>}
    >
      {policy.isPending && <Loading lines={2} />}
      {policy.error && <Trouble problem={policy.error} retry={() => void policy.refetch()} />}
      {policy.data && <RuleList rules={policy.data.body as Rules | null} />}
    </Section>
  );
}

function RuleList({ rules }: { rules: Rules | null }) {
  if (!rules || Object.keys(rules).length === 0) {
    return (
      <p className="text-quiet">
        There are none. Only the hours of this campaign hold. The legal hours of a country are a pack that{' '}
        <PageLink to="/policy">Contact rules</PageLink> can put in force.
      </p>
    );
  }
  return (
    <>
      <p className="mb-2">They hold for every campaign. The narrower of these and the hours above decides.</p>
      <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-2">
        <Rule name="Hours">{rules.hours?.join(', ')}</Rule>
        <Rule name="At most">
          {rules.caps
            ?.map(({ calls, per }) => `${calls} ${calls === 1 ? 'call' : 'calls'} in ${per}`)
            .join(', ')}
        </Rule>
        <Rule name="Between two calls">{rules.gap}</Rule>
        <Rule name="After a conversation">{rules.after_conversation}</Rule>
        <Rule name="Dates left out">{rules.not_on?.join(', ')}</Rule>
      </dl>
    </>
  );
}

function Rule({ name, children }: { name: string; children: ReactNode }) {
  if (!children) return null;
  return (
    <div>
      <dt className="text-xs text-quiet">{name}</dt>
      <dd className="font-medium">{children}</dd>
    </div>
  );
}
