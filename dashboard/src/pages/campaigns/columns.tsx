import type { CampaignItem } from '../../api/description.ts';
import { Ends, QuickAct } from '../../campaigns/ends.tsx';
import { doneShare, StateBadge, stillWords } from '../../campaigns/state.tsx';
import { BalanceBar, PartsBar, toldParts } from '../../kit/bars.tsx';
import { stateText } from '../../kit/basics.tsx';
import { Link } from '../../kit/router.tsx';
import { type Column, left, right } from '../../kit/table/data-table.tsx';
import { nextCallText } from '../../kit/their-time.tsx';
import { Since } from '../../kit/values.tsx';
import { cost, count, counted, rateText } from '../../kit/words.ts';
import { outcomeFills, outcomes } from '../campaign/outcomes.ts';

/** The facts that the list tells of each campaign, and its next act: those of the overview, a line each, in fixed places. */
export const campaignColumns: readonly Column<CampaignItem>[] = [
  left('name', 'Campaign', { px: 200 }, (campaign) => (
    <span className="flex flex-col justify-center py-1 sm:min-h-11">
      <Link
        to="/campaigns/$id"
        params={{ id: campaign.id }}
        title={campaign.name}
        className="block truncate font-medium hover:underline"
      >
        {campaign.name}
      </Link>
      <Why of={campaign} />
    </span>
  )),
  left('state', 'State', { from: 'sm', px: 110 }, (campaign) => <StateBadge of={campaign} />),
  right('done', 'Done', { px: 60 }, ({ balance }) => (
    <b className="font-semibold" title={`of ${counted(balance.rows, 'person', 'people')}`}>
      {doneShare(balance)}%
    </b>
  )),
  left('balance', 'People', { from: 'sm', px: 130 }, (campaign) => (
    // What has no room in two lines is told by the bar.
    <div className="max-w-full py-1 max-sm:w-52 sm:max-[1399px]:[&_ul]:hidden lg:[&_ul]:max-h-9 lg:[&_ul]:overflow-hidden">
      {isWhole(campaign) ? (
        <PartsBar parts={resultsOf(campaign)} legend most={5} />
      ) : (
        <BalanceBar balance={campaign.balance} legend={toldParts.slice(1)} most={5} />
      )}
    </div>
  )),
  right(
    'answered',
    'Answered',
    { px: 88 },
    ({ answers: { connect_rate: rate, answered, calls, reach_rate: reached } }) => (
      <span
        title={`${count(answered)} of ${counted(calls, 'ended call')}; ${rateText(reached)} of the people reached`}
      >
        {rateText(rate)}
      </span>
    ),
  ),
  right(
    'cost',
    'Cost',
    { from: 'xl', has: ({ balance }) => balance.cost !== null, px: 90 },
    ({ balance, currency }) => cost(balance.cost, currency),
  ),
  left('when', 'When', { from: 'xl', px: 150 }, (campaign) => (
    <span className="line-clamp-2 whitespace-normal text-quiet">
      {campaign.state === 'paused' ? (
        <Since at={campaign.since} />
      ) : (
        <Ends campaign={campaign} brief={nextCallText} />
      )}
    </span>
  )),
  left('act', '', { number: true, px: 96 }, (campaign) => (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the button in it takes the keys.
    // biome-ignore lint/a11y/noStaticElementInteractions: the row's own click opens the campaign.
    <span className="inline-grid" onClick={(event) => event.stopPropagation()}>
      <QuickAct campaign={campaign} />
    </span>
  )),
];

/** A full bar tells nothing that its state and its share do not: how its calls ended stands there. */
const isWhole = ({ state, balance }: CampaignItem) => state === 'done' && balance.done === balance.rows;

const resultsOf = ({ balance }: CampaignItem) =>
  outcomes.map(
    (outcome) => [stateText(outcome), balance.outcomes[outcome] ?? 0, outcomeFills[outcome]] as const,
  );

/** Why it stands still; else how many are not done because they were rejected. */
function Why({ of }: { of: CampaignItem }) {
  const { rejected } = of.balance;
  const words = stillWords(of) ?? (rejected > 0 && `${count(rejected)} rejected`);
  return (
    words && (
      <span className="line-clamp-2 text-xs whitespace-normal text-quiet" title={words}>
        {words}
      </span>
    )
  );
}
