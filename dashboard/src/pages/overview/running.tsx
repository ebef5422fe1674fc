import type { CampaignItem } from '../../api/ask.ts';
import { Ends, QuickAct } from '../../campaigns/line.tsx';
import {
  doneShare,
  leftOf,
  peopleOf,
  StateBadge,
  stillWords,
  usePace,
  waitsForTime,
} from '../../campaigns/state.tsx';
import { BalanceBar, Spark, toldParts } from '../../kit/bars.tsx';
import { Section } from '../../kit/page.tsx';
import { NameLink } from '../../kit/router.tsx';
import { about, count, counted, rateText, sumOf } from '../../kit/words.ts';

/** The campaigns that dial, one below the other so that they compare: how far, how fast, how well, and until when. */
const grid =
  'lg:grid-cols-[minmax(0,9rem)_3.25rem_minmax(0,1fr)_5.5rem_6.75rem_6.75rem] xl:grid-cols-[minmax(0,13.5rem)_3.25rem_minmax(0,1fr)_6.75rem_6rem_8rem_7.25rem]';

export const Running = ({ campaigns }: { campaigns: readonly CampaignItem[] }) => (
  <Section {...headOf(campaigns)}>
    <div
      aria-hidden="true"
      className={`grid gap-x-3.5 border-b border-line pb-2 text-xs text-quiet max-lg:hidden ${grid}`}
    >
      <span>Campaign</span>
      <span className="text-right">Done</span>
      <span>People</span>
      <span className="max-xl:hidden">Calls a minute</span>
      <span>Calls answered</span>
      <span>Ends about</span>
    </div>
    <div className="max-lg:space-y-2.5">
      {campaigns.map((campaign) => (
        <Row key={campaign.id} campaign={campaign} />
      ))}
    </div>
  </Section>
);

/** One that stands still does not run. */
function headOf(campaigns: readonly CampaignItem[]) {
  const still = campaigns.filter((each) => stillWords(each) !== null);
  const running = campaigns.length - still.length;
  const waiting = still.filter(({ standstill }) => waitsForTime(standstill)).length;
  const standing = still.length - waiting;
  const counts = [
    running > 0 && `${count(running)} running`,
    waiting > 0 && counted(waiting, 'waits', 'wait'),
    standing > 0 && counted(standing, 'stands still', 'stand still'),
  ];
  return {
    title: running > 0 ? 'Running' : 'Campaigns',
    note: still.length === 0 ? counted(running, 'campaign') : counts.filter(Boolean).join(', '),
  };
}

function Row({ campaign }: { campaign: CampaignItem }) {
  const { id, name, balance, answers } = campaign;
  const { perMinute, minutes } = usePace(id);
  const left = leftOf(balance);
  const idle = stillWords(campaign);
  const below = left === 0 && !idle ? 'nobody left to call' : '';
  return (
    <article
      aria-label={name}
      className={`grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3.5 gap-y-2 max-lg:rounded-lg max-lg:border max-lg:border-line max-lg:p-3.5 lg:min-h-[66px] lg:border-b lg:border-line lg:py-2 ${grid}`}
    >
      <div className="min-w-0">
        <h3 className="line-clamp-2 font-semibold">
          <NameLink of="campaigns" id={id} name={name} />
        </h3>
        <p className="text-xs text-quiet">{belowName(campaign)}</p>
        {idle && (
          <p className="mt-0.5 text-xs text-quiet" title={idle}>
            {/* What needs a person is told above, with its act. */}
            <StateBadge of={campaign} soft /> {waitsForTime(campaign.standstill) && idle}
          </p>
        )}
      </div>
      <p className="text-right text-xl font-semibold">
        {doneShare(balance)}
        <span className="text-sm font-normal text-quiet">%</span>
      </p>
      <div className="lg:[&_ul]:max-h-9 lg:[&_ul]:overflow-hidden min-[1400px]:[&_ul]:max-h-4 max-lg:col-span-2">
        <BalanceBar balance={balance} legend={toldParts} most={5} />
      </div>
      <div className="max-xl:hidden">
        <div className="flex items-end gap-2.5">
          <b className="min-w-9 font-semibold">
            {left === 0 || idle || perMinute === null
              ? '–'
              : about(perMinute >= 10 ? Math.round(perMinute) : Math.round(perMinute * 10) / 10)}
          </b>
          {minutes.length > 10 && <Spark values={byFive(minutes)} label="The last hour, by five minutes" />}
        </div>
        <p className="text-xs text-quiet">{below}</p>
      </div>
      <div className="text-sm max-lg:flex max-lg:items-baseline max-lg:gap-1.5">
        <b className="font-semibold">{rateText(answers.connect_rate)}</b>
        <p className="text-xs text-quiet">
          <span className="lg:hidden">answered, </span>
          {answers.calls === 0 ? 'no call yet' : `${count(answers.answered)} of ${count(answers.calls)}`}
        </p>
      </div>
      <div className="text-sm max-lg:text-right">
        <span className="text-xs text-quiet lg:hidden">ends </span>
        <Ends campaign={campaign} />
      </div>
      <div className="grid justify-items-end max-lg:col-span-2">
        <QuickAct campaign={campaign} />
      </div>
    </article>
  );
}

function belowName({ balance, max_calls: most }: CampaignItem): string {
  const limit = most === null ? '' : ` · at most ${counted(most, 'call')} at once`;
  return `${counted(peopleOf(balance), 'person', 'people')}${limit}`;
}

function byFive(minutes: readonly number[]): number[] {
  const sums: number[] = [];
  for (let end = minutes.length; end > 0; end -= 5)
    sums.unshift(sumOf(minutes.slice(Math.max(0, end - 5), end)));
  return sums;
}
