import type { CampaignItem } from '../../api/description.ts';
import { Ends } from '../../campaigns/ends.tsx';
import { doneShare, stillWords } from '../../campaigns/pace.ts';
import { QuickAct } from '../../campaigns/quick.tsx';
import { StateBadge } from '../../campaigns/state.tsx';
import { rateText } from '../../kit/answers.ts';
import { stateText } from '../../kit/badge.tsx';
import { BalanceBar, PartsBar, toldParts } from '../../kit/balance-bar.tsx';
import { Link } from '../../kit/router.tsx';
import { type Column, left, right } from '../../kit/table/data-table.tsx';
import { Since } from '../../kit/time.tsx';
import { cost, count, counted } from '../../kit/words.ts';
import { outcomeFills, outcomes } from '../campaign/outcomes.ts';

/** The facts that the list tells of each campaign, and its next act: those of the overview, a line each. */
export const campaignColumns: readonly Column<CampaignItem>[] = [
  left(
    'name',
    'Campaign',
    (campaign) => (
      <span className="flex max-w-[60vw] min-w-28 flex-col justify-center py-1 sm:min-h-11 sm:max-[1399px]:max-w-40 min-[1400px]:max-2xl:max-w-52 2xl:max-w-80">
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
    ),
    { under: 'Done' },
  ),
  left(
    'state',
    'State',
    (campaign) =>
      isWhole(campaign) ? (
        <span className="text-quiet">
          {rateText(campaign.answers.reach_rate)} <span className="sm:hidden">reached</span>
        </span>
      ) : (
        <StateBadge of={campaign} />
      ),
    { from: 'sm', under: 'Reached' },
  ),
  right(
    'done',
    'Done',
    (campaign) => (
      <b className="font-semibold">
        {isWhole(campaign) ? count(campaign.balance.rows) : `${doneShare(campaign.balance)}%`}
        {isWhole(campaign) && <span className="sm:hidden"> people</span>}
      </b>
    ),
    { under: 'People' },
  ),
  left(
    'balance',
    'People',
    (campaign) => (
      // What has no room in two lines is told by the bar.
      <div className="w-52 max-w-full sm:w-40 lg:w-32 min-[1400px]:min-w-66 py-1 sm:max-[1399px]:[&_ul]:hidden lg:[&_ul]:max-h-9 lg:[&_ul]:overflow-hidden">
        {isWhole(campaign) ? (
          <PartsBar parts={resultsOf(campaign)} legend most={5} />
        ) : (
          // What is done has a column of its own.
          <BalanceBar balance={campaign.balance} legend={toldParts.slice(1)} most={5} />
        )}
      </div>
    ),
    { from: 'sm', under: 'How the calls ended' },
  ),
  right(
    'answered',
    'Calls answered',
    ({ answers: { connect_rate: rate, answered, calls } }) => (
      <span title={`${count(answered)} of ${counted(calls, 'ended call')}`}>{rateText(rate)}</span>
    ),
    { under: 'Calls answered' },
  ),
  right('cost', 'Cost', ({ balance, currency }) => cost(balance.cost, currency), {
    from: 'xl',
    has: ({ balance }) => balance.cost !== null,
    under: 'Cost',
  }),
  left(
    'when',
    'When',
    (campaign) => (
      <span className="whitespace-nowrap text-quiet">
        {campaign.state === 'paused' ? <Since at={campaign.since} /> : <Ends campaign={campaign} brief />}
      </span>
    ),
    { from: 'xl', under: 'When' },
  ),
  left(
    'act',
    '',
    (campaign) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the button in it takes the keys.
      // biome-ignore lint/a11y/noStaticElementInteractions: the row's own click opens the campaign.
      <span className="inline-grid sm:min-w-24" onClick={(event) => event.stopPropagation()}>
        <QuickAct campaign={campaign} />
      </span>
    ),
    { number: true },
  ),
];

/** A full bar tells nothing that its state and its share do not: how its calls ended stands there. */
export const isWhole = ({ state, balance }: CampaignItem) =>
  state === 'done' && balance.done === balance.rows;

const resultsOf = ({ balance }: CampaignItem) =>
  outcomes.map(
    (outcome) => [stateText(outcome), balance.outcomes[outcome] ?? 0, outcomeFills[outcome]] as const,
  );

/** Why it stands still. */
function Why({ of }: { of: CampaignItem }) {
  const words = stillWords(of);
  return (
    words && (
      <span className="block truncate text-xs text-quiet" title={words}>
        {words}
      </span>
    )
  );
}
