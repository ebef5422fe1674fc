import { Link } from '@tanstack/react-router';
import type { CampaignItem } from '../../api/description.ts';
import { Ends } from '../../campaigns/ends.tsx';
import { doneShare } from '../../campaigns/pace.ts';
import { QuickAct } from '../../campaigns/quick.tsx';
import { StateBadge } from '../../campaigns/state.tsx';
import { rateText } from '../../kit/answers.tsx';
import { stateText } from '../../kit/badge.tsx';
import { BalanceBar, PartsBar } from '../../kit/balance-bar.tsx';
import type { Column } from '../../kit/table/data-table.tsx';
import { Since } from '../../kit/time.tsx';
import { classes, cost, counted } from '../../kit/words.ts';
import { pauseWords } from '../../shell/needs.ts';
import { outcomeFills, outcomes } from '../campaign/outcomes.ts';

/** The facts that the list tells of each campaign, and its next act: those of the overview, a line each. */
export const campaignColumns: readonly Column<CampaignItem>[] = [
  {
    id: 'name',
    head: 'Campaign',
    cell: (campaign) => (
      <span className="flex sm:min-h-11 max-w-[60vw] min-w-28 flex-col justify-center py-1 sm:max-w-40 lg:max-w-36 xl:max-w-40 2xl:max-w-80">
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
  },
  { id: 'state', head: 'State', from: 'sm', cell: (campaign) => <StateBadge of={campaign} /> },
  {
    id: 'done',
    head: 'Done',
    number: true,
    from: 'sm',
    cell: ({ balance }) => <b className="font-semibold">{doneShare(balance)}%</b>,
  },
  {
    id: 'balance',
    head: 'People, then results',
    from: 'sm',
    cell: ({ state, balance }) => (
      <div className="w-52 max-w-full sm:w-40 lg:w-32 xl:w-52 min-[1400px]:min-w-80 sm:max-xl:[&_ul]:hidden">
        {/* A full bar tells nothing that its state and its share do not. */}
        {state === 'done' && balance.done === balance.rows ? (
          <PartsBar parts={resultsOf(balance)} legend />
        ) : (
          <BalanceBar balance={balance} legend />
        )}
      </div>
    ),
  },
  {
    id: 'answered',
    head: 'Answered',
    number: true,
    from: 'sm',
    cell: ({ answers: { connect_rate: rate, calls } }) => (
      <span title={`of ${counted(calls, 'ended call')}`}>{rateText(rate)}</span>
    ),
  },
  {
    id: 'cost',
    head: 'Cost',
    from: 'xl',
    number: true,
    has: ({ balance }) => balance.cost !== null,
    cell: ({ balance, currency }) => (balance.cost === null ? '–' : cost(balance.cost, currency)),
  },
  {
    id: 'when',
    head: 'When',
    from: 'xl',
    cell: (campaign) => (
      <span className="whitespace-nowrap text-quiet">
        {campaign.state === 'paused' ? <Since at={campaign.since} /> : <Ends campaign={campaign} brief />}
      </span>
    ),
  },
  {
    id: 'act',
    head: '',
    number: true,
    cell: (campaign) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the button in it takes the keys.
      // biome-ignore lint/a11y/noStaticElementInteractions: the row's own click opens the campaign.
      <span className="inline-grid sm:min-w-24" onClick={(event) => event.stopPropagation()}>
        <QuickAct campaign={campaign} />
      </span>
    ),
  },
];

const resultsOf = ({ outcomes: ended }: CampaignItem['balance']) =>
  outcomes.map((outcome) => [stateText(outcome), ended[outcome] ?? 0, outcomeFills[outcome]] as const);

/** Why it stands still: it was paused, or nobody drives it. */
function Why({ of: { state, reason, driver, run_active: driven } }: { of: CampaignItem }) {
  const isUndriven = state === 'running' && driver === 'run' && !driven;
  const why = state === 'paused' && reason;
  if (!isUndriven && !why) return null;
  return (
    <span className={classes('block truncate text-xs', isUndriven ? 'text-warn' : 'text-quiet')}>
      {why ? pauseWords(why) : 'no run drives it'}
    </span>
  );
}
