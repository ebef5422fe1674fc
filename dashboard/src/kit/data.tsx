import { Fact, Facts } from './facts.tsx';
import { learnedText } from './words.ts';

/** Names and values in words: `opt_out: false` as `opt out`, `no`; those of evidence by a `text` of their own. */
export const Fields = ({ of, text = learnedText }: { of: object; text?: (value: unknown) => string }) => (
  <Facts>
    {Object.entries(of).map(([name, value]) => (
      <Fact key={name} name={name.replaceAll('_', ' ')}>
        {text(value) || '–'}
      </Fact>
    ))}
  </Facts>
);
