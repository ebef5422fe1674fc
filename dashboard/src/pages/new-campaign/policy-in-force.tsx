import { type ReactNode, useState } from 'react';
import { useAct, useAsk } from '../../api/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { Loading, Trouble } from '../../kit/empty.tsx';
import { FormProblem } from '../../kit/field.tsx';
import { useMay } from '../../shell/me.ts';
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

export function PolicyInForce({ country }: { country: string }) {
  const policy = usePolicy();
  return (
    <Section
      id="policy"
      title="Contact rules in force"
      acts={<PageLink to="/policy">Contact rules</PageLink>}
    >
      {policy.isPending && <Loading lines={2} />}
      {policy.error && <Trouble problem={policy.error} retry={() => void policy.refetch()} />}
      {policy.data && (
        <RuleList
          rules={policy.data.body as Rules | null}
          proposal={<Proposal country={country} version={policy.data.version ?? 0} />}
        />
      )}
    </Section>
  );
}

function RuleList({ rules, proposal }: { rules: Rules | null; proposal: ReactNode }) {
  if (!rules || Object.keys(rules).length === 0) {
    return (
      <>
        <p className="text-quiet">
          There are none. Only the hours of this campaign hold. The legal hours of a country are a pack that{' '}
          <PageLink to="/policy">Contact rules</PageLink> can put in force.
        </p>
        {proposal}
      </>
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
      >
        <p>
          They hold for every campaign from the next call on. Contact rules shows them, and switches them off.
        </p>
        <FormProblem problem={set.error} fields={[]} />
      </Confirm>
    </div>
  );
}

/** The country of the viewer's language, such as US of en-US. */
function guessOf(languages: readonly string[]): string | undefined {
  return languages.map((each) => /-([A-Z]{2})$/.exec(each)?.[1]).find(Boolean);
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
