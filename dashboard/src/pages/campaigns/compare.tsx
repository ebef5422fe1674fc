import type { ReactNode } from 'react';
import type { CampaignItem } from '../../api/description.ts';
import { StateBadge } from '../../campaigns/state.tsx';
import { rateText } from '../../kit/answers.tsx';
import { stateText } from '../../kit/badge.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { PartBar } from '../../kit/part-bar.tsx';
import { Time } from '../../kit/time.tsx';
import { cost, count, tenths } from '../../kit/words.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { type Outcome, outcomes } from '../campaign/outcomes.ts';

/** Campaigns side by side, each figure in one line, so that they compare. */
export const mostCompared = 4;

type Line = readonly [name: string, of: (campaign: CampaignItem) => ReactNode];

const share = (n: number, of: number) =>
  of === 0 ? (
    '–'
  ) : (
    <span className="grid gap-1">
      <span>
        {tenths(n / of)} <span className="text-quiet">{count(n)}</span>
      </span>
      <PartBar part={n / of} />
    </span>
  );
const ended = (outcome: Outcome): Line => [
  stateText(outcome),
  ({ balance: { outcomes: all } }) =>
    share(
      all[outcome] ?? 0,
      Object.values(all).reduce((sum, n) => sum + n, 0),
    ),
];

const lines: readonly Line[] = [
  ['State', (campaign) => <StateBadge of={campaign} />],
  ['People', ({ balance }) => count(balance.rows)],
  ['Done', ({ balance }) => share(balance.done, balance.rows)],
  ['Calls answered', ({ answers }) => rateText(answers.connect_rate)],
  ['People reached', ({ answers }) => rateText(answers.reach_rate)],
  ...outcomes.slice(0, 5).map(ended),
  ['Opted out', ({ opt_outs: { people } }) => count(people)],
  ['Calls made', ({ balance }) => count(balance.attempts)],
  ['Cost', ({ balance, currency }) => (balance.cost === null ? '–' : cost(balance.cost, currency))],
  [
    'Cost of one reached',
    ({ balance, answers, currency }) =>
      balance.cost === null || answers.people_reached === 0
        ? '–'
        : cost(balance.cost / answers.people_reached, currency),
  ],
  ['Attempts allowed', ({ max_attempts: most }) => count(most)],
  ['Made', ({ created_at: at }) => <Time at={at} />],
];

type CompareProps = { campaigns: readonly CampaignItem[]; onClose(): void };

export function Compare({ campaigns, onClose }: CompareProps) {
  return (
    <Dialog open wide onClose={onClose} title="Side by side">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard. */}
      <section tabIndex={0} aria-label="Figures" className="overflow-x-auto">
        <table className="w-full min-w-[32rem] table-fixed text-sm">
          <thead>
            <tr className="border-b border-line text-left">
              <td className="w-36" />
              {campaigns.map(({ id, name }) => (
                <th key={id} scope="col" className="truncate py-1.5 pr-4 font-semibold">
                  <PageLink to={`/campaigns/${id}`} className="hover:underline">
                    {name}
                  </PageLink>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map(([name, of]) => (
              <tr key={name} className="border-b border-line align-top last:border-0">
                <th scope="row" className="py-1.5 pr-3 text-left font-normal text-quiet">
                  {name}
                </th>
                {campaigns.map((campaign) => (
                  <td key={campaign.id} className="py-1.5 pr-4">
                    {of(campaign)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Dialog>
  );
}
