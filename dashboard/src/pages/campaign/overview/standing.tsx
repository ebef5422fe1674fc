import { Link } from '@tanstack/react-router';
import type { Campaign, Report } from '../../../api/description.ts';
import { doneShare, usePace } from '../../../campaigns/pace.ts';
import { AnswerStats } from '../../../kit/answers.tsx';
import { Badge } from '../../../kit/badge.tsx';
import { BalanceBar } from '../../../kit/balance-bar.tsx';
import { Stat } from '../../../kit/stat.tsx';
import { about, cost, count, counted } from '../../../kit/words.ts';
import { Waits } from './waits.tsx';

/** The head of a campaign: how far it is, where its people are, how fast it goes and what it has spent. */
type StandingProps = { campaign: Campaign; updatedAt: number; report: Report | undefined };

export function Standing({ campaign, updatedAt, report }: StandingProps) {
  const { id, state, balance, answers, opt_outs: optOuts, currency } = campaign;
  const { perMinute: pace } = usePace(id, balance.attempts, updatedAt);
  const total = report?.total;
  const spent = total ? total.cost : balance.cost;
  return (
    <section aria-labelledby="standing" className="mb-6 min-w-0">
      <h2 id="standing" className="mb-2.5 flex flex-wrap items-baseline gap-x-3">
        <span className="text-2xl font-semibold tracking-[-0.02em]">{doneShare(balance)}%</span>
        <span className="text-quiet">of {counted(balance.rows, 'person is', 'people are')} done</span>
      </h2>
      <BalanceBar
        balance={balance}
        legend
        thickness="fat"
        wrap={(part, words) => (
          <Link
            to="/campaigns/$id"
            params={{ id }}
            search={{ tab: 'people', state: part }}
            className="hover:underline"
          >
            {words}
          </Link>
        )}
      />
      <dl className="mt-4 grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-[repeat(auto-fit,minmax(7rem,1fr))]">
        <Stat name="Calls a minute" note={`${count(balance.calling)} in progress`}>
          {state !== 'running' || pace === null ? '–' : about(pace)}
        </Stat>
        <AnswerStats answers={total ?? answers} />
        <Stat
          name="Cost so far"
          note={
            spent === null
              ? 'the service has told none'
              : total?.cost_per_connect == null
                ? 'no call was answered yet'
                : `${cost(total.cost_per_connect, currency)} an answer`
          }
        >
          {spent === null ? '–' : cost(spent, currency)}
        </Stat>
        <Stat
          name="Calls made"
          note={
            balance.unknown > 0
              ? `${count(balance.unknown)} of them unknown`
              : campaign.max_attempts > 1 && 'retries too'
          }
        >
          <span title={`${counted(balance.requests, 'request')}, ${count(balance.polls)} to follow calls`}>
            {count(balance.attempts)}
          </span>
        </Stat>
      </dl>
      <Waits campaign={campaign} />
      {optOuts.people > 0 && (
        <p className="mt-3">
          <Badge
            state="opt-out"
            label={`${counted(optOuts.people, 'person', 'people')} asked for no more calls: suppressed`}
            soft
          />
        </p>
      )}
    </section>
  );
}
