import { classes } from '../../kit/words.ts';
import { turnsOf } from './turns.ts';

/** The words of a call, as a conversation where its turns can be told, else as they came. */
export function Transcript({ text }: { text: string }) {
  const turns = turnsOf(text);
  if (!turns) return <p className="max-w-prose whitespace-pre-wrap">{text}</p>;
  return (
    <ol aria-label="Transcript" className="max-w-3xl space-y-2">
      {turns.map(({ who, text: said, agent }, nth) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: turns never move.
          key={nth}
          className={classes('flex', agent ? 'justify-start' : 'justify-end')}
        >
          <div
            className={classes(
              'max-w-[85%] rounded-lg px-3 py-1.5',
              agent ? 'bg-quiet-soft' : 'bg-accent-soft',
            )}
          >
            <span className="block text-xs text-quiet">{who}</span>
            {said}
          </div>
        </li>
      ))}
    </ol>
  );
}
