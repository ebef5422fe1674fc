import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Tree } from '../../kit/tree.tsx';
import { isOptOut } from '../../kit/words.ts';

/** The fields of a call's record that the agent was asked for. */
export function Learned({ data }: { data: unknown }) {
  if (data === null || data === undefined) return null;
  return (
    <Section id="data" title="What was learned" bare>
      {isOptOut(data) && (
        <p className="mb-2">
          <Badge state="opt-out" label="asked for no more calls" soft />
        </p>
      )}
      <Tree value={data} inWords />
    </Section>
  );
}
