import type { ReactNode } from 'react';
import type { CampaignItem } from '../../api/ask.ts';
import { StateBadge } from '../../campaigns/state.tsx';
import { PartBar } from '../../kit/bars.tsx';
import { stateText } from '../../kit/basics.tsx';
import { Dialog } from '../../kit/form.tsx';
import { DataTable, left } from '../../kit/table/data-table.tsx';
import { Time } from '../../kit/values.tsx';
import { cost, count, rateText, sumOf, tenths } from '../../kit/words.ts';
import { type Outcome, outcomes } from '../campaign/outcomes.ts';

/** Compares campaigns: a column for each campaign, a line for each figure. */
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
  ({ balance: { outcomes: all } }) => share(all[outcome] ?? 0, sumOf(Object.values(all))),
];

const lines: readonly Line[] = [
  ['State', (campaign) => <StateBadge of={campaign} />],
  ['People', ({ balance }) => count(balance.rows)],
  ['Done', ({ balance }) => share(balance.done, balance.rows)],
  ['Calls answered', ({ answers }) => rateText(answers.connect_rate)],
  ['People reached', ({ answers }) => rateText(answers.reach_rate)],
  ...outcomes.slice(1, 5).map(ended),
  ['Opted out', ({ opt_outs: { people } }) => count(people)],
  ['Calls made', ({ balance }) => count(balance.attempts)],
  ['Cost', ({ balance, currency }) => cost(balance.cost, currency)],
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

export const Compare = ({ campaigns, onClose }: { campaigns: readonly CampaignItem[]; onClose(): void }) => (
  <Dialog wide onClose={onClose} title="Side by side">
    <DataTable
      label="Figures"
      rows={lines}
      keyOf={([name]) => name}
      columns={[
        left<Line>('name', 'Figure', ([name]) => <span className="text-quiet">{name}</span>),
        ...campaigns.map((campaign) => left<Line>(campaign.id, campaign.name, ([, of]) => of(campaign))),
      ]}
    />
  </Dialog>
);
