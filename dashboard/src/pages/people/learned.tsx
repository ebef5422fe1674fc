import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { classes, isOptOut, learnedText } from '../../kit/words.ts';

/** The fields of a call's record that the agent was asked for. */
export function Learned({ data }: { data: unknown }) {
  if (data === null || data === undefined) return null;
  const isList = typeof data === 'object' && !Array.isArray(data);
  return (
    <Section id="data" title="What was learned" bare>
      {isOptOut(data) && (
        <p className="mb-2">
          <Badge state="opt-out" label="asked for no more calls" soft />
        </p>
      )}
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        {Object.entries(isList ? data : { '': data }).map(([name, value]) => {
          const text = learnedText(value) || '–';
          return (
            <div key={name} className="min-w-16 max-w-prose">
              <dt className="text-xs text-quiet first-letter:uppercase">{name.replaceAll('_', ' ')}</dt>
              <dd className={classes('[overflow-wrap:anywhere]', text.length < 40 && 'text-lg font-medium')}>
                {text}
              </dd>
            </div>
          );
        })}
      </dl>
    </Section>
  );
}
