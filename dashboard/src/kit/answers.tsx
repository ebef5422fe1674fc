import type { CampaignItem, Report } from '../api/description.ts';
import { Stat } from './stat.tsx';
import { count, counted, tenths } from './words.ts';

/** The two figures of how well calls are answered, each named with what it is a share of: the same wherever they stand. */
type Answers = CampaignItem['answers'];

export function AnswerStats({ answers }: { answers: Answers }) {
  const { calls, connect_rate: rate, people_called: called, reach_rate: reach } = answers;
  // Where nobody was called twice, both say the same.
  const isSame = calls === called && rate === reach;
  return (
    <>
      <Stat name="Calls answered" note={`of ${counted(calls, 'ended call')}`}>
        {rateText(rate)}
      </Stat>
      {!isSame && (
        <Stat name="People reached" note={`of ${counted(called, 'person', 'people')} called`}>
          {rateText(reach)}
        </Stat>
      )}
    </>
  );
}

/** The same in a sentence, below a report. */
export function AnswersLine({ of: total }: { of: Report['total'] }) {
  return (
    <p className="mt-3 text-sm">
      Calls answered: {rateText(total.connect_rate)} of {counted(total.calls, 'ended call')} (
      {count(total.outcomes.answered ?? 0)}). People reached: {rateText(total.reach_rate)} of{' '}
      {counted(total.people_called, 'person', 'people')} called ({count(total.people_reached)}).
    </p>
  );
}

export function rateText(rate: number | null): string {
  return rate === null ? '–' : tenths(rate);
}
