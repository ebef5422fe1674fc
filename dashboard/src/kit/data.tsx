import { Fact, Facts } from './facts.tsx';
import { learnedText } from './words.ts';

export function Raw({ value }: { value: unknown }) {
  return (
    <pre className="font-mono text-sm [overflow-wrap:anywhere] whitespace-pre-wrap">
      {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
    </pre>
  );
}

/** Names and values in words: `opt_out: false` as `opt out`, `no`. */
export function Fields({ of }: { of: object }) {
  return (
    <Facts>
      {Object.entries(of).map(([name, value]) => (
        <Fact key={name} name={name.replaceAll('_', ' ')}>
          {learnedText(value) || '–'}
        </Fact>
      ))}
    </Facts>
  );
}
