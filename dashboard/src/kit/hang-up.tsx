import type { HungUp } from '../api/ask.ts';
import { counted } from './words.ts';

export function HangUpTold({ told }: { told: HungUp }) {
  const { calls, hung_up: hungUp, ended, refused, waiting, refusals } = told;
  if (calls === 0) return <p>No call was in progress.</p>;
  const parts = [
    [hungUp, 'hung up'],
    [ended, 'had ended'],
    [refused, 'refused by the service'],
    [waiting, 'will be hung up when the service answers'],
  ] as const;
  const words = parts.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
  return (
    <>
      <p>
        {counted(calls, 'call was', 'calls were')} in progress: {words.join(', ')}.
      </p>
      {refusals.map((each) => (
        <p key={each} className="text-sm text-quiet">
          The service says: {each}
        </p>
      ))}
    </>
  );
}
