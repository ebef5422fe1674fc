import type { Campaign } from '../../../api/description.ts';
import { AnswerStats } from '../../../kit/answers.tsx';
import { Stat, Stats } from '../../../kit/stat.tsx';
import { about, cost, count, counted } from '../../../kit/words.ts';
import { usePace } from '../../overview/pace.ts';

/** The numbers that the campaign has done and spent so far. */
type NumbersProps = { campaign: Campaign; updatedAt: number };

export function Numbers({ campaign: { id, state, balance, answers }, updatedAt }: NumbersProps) {
  const { perMinute: pace } = usePace(id, balance.attempts, updatedAt);
  const { answered } = answers;
  return (
    <Stats>
      <Stat name="Done" note={`of ${counted(balance.rows, 'row')}`}>
        {count(balance.done)}
      </Stat>
      <Stat name="In progress" note={`${count(balance.queued)} queued`}>
        {count(balance.calling)}
      </Stat>
      <Stat name="Calls a minute" note={paceNote(state, pace, balance.attempts)}>
        {state !== 'running' || pace === null ? '–' : about(pace)}
      </Stat>
      <AnswerStats answers={answers} />
      <Stat
        name="Cost so far"
        note={
          balance.cost === null
            ? 'the service has told none'
            : answered === 0
              ? 'no call was answered yet'
              : `${cost(balance.cost / answered)} for each answered call`
        }
      >
        {balance.cost === null ? '–' : cost(balance.cost)}
      </Stat>
      <Stat name="Requests" note={`${count(balance.polls)} of them to follow calls`}>
        {count(balance.requests)}
      </Stat>
    </Stats>
  );
}

function paceNote(state: Campaign['state'], pace: number | null, attempts: number): string {
  if (state !== 'running') return 'it does not run';
  if (pace !== null) return 'in the last minute';
  return attempts === 0 ? 'no call began yet' : 'not known yet';
}
