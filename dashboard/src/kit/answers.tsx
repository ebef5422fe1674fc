import type { CampaignItem } from '../api/description.ts';
import { Stat } from './stat.tsx';
import { counted, tenths } from './words.ts';

/** The two figures of how well calls are answered, each named with what it is a share of: the same wherever they stand. */
type Answers = Pick<CampaignItem['answers'], 'calls' | 'connect_rate' | 'people_called' | 'reach_rate'>;

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

export function rateText(rate: number | null): string {
  return rate === null ? '–' : tenths(rate);
}
