import { Fact, Facts } from './facts.tsx';
import { learnedText } from './words.ts';

/** Names and values in words: `opt_out: false` as `opt out`, `no`. */
export const Fields = ({ of }: { of: object }) => (
  <Facts>
    {Object.entries(of).map(([name, value]) => (
      <Fact key={name} name={name.replaceAll('_', ' ')}>
        {learnedText(value) || '–'}
      </Fact>
    ))}
  </Facts>
);
