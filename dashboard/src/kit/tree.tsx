import { Fact, Facts } from './facts.tsx';
import { learnedText } from './words.ts';

/** Data of any shape as a tree that opens and closes, as a service sent it. */
export function Tree({ value, open = true }: { value: unknown; open?: boolean }) {
  return (
    <div className="font-mono text-sm [overflow-wrap:anywhere]">
      <Value value={value} open={open} />
    </div>
  );
}

/** Names and values in words: `opt_out: false` as `opt out`, `no`. */
export function Fields({ of }: { of: object }) {
  return (
    <Facts names="narrow">
      {Object.entries(of).map(([name, value]) => (
        <Fact key={name} name={name.replaceAll('_', ' ')}>
          {learnedText(value) || '–'}
        </Fact>
      ))}
    </Facts>
  );
}

function Value({ value, open }: { value: unknown; open: boolean }) {
  if (value === null || typeof value !== 'object') return <Leaf value={value} />;
  const entries = Object.entries(value);
  if (entries.length === 0) return <span className="text-quiet">{Array.isArray(value) ? '[]' : '{}'}</span>;
  return (
    <ul className="space-y-0.5">
      {entries.map(([name, each]) => (
        <li key={name}>
          <Entry name={name} value={each} open={open} />
        </li>
      ))}
    </ul>
  );
}

function Entry({ name, value, open }: { name: string; value: unknown; open: boolean }) {
  if (value === null || typeof value !== 'object' || Object.keys(value).length === 0) {
    return (
      <span className="flex gap-2">
        <span className="shrink-0 text-quiet">{name}</span>
        <span className="min-w-0 break-words whitespace-pre-wrap">
          <Value value={value} open={open} />
        </span>
      </span>
    );
  }
  return (
    <details open={open}>
      <summary className="text-quiet">
        {name} <span className="text-xs">({Object.keys(value).length})</span>
      </summary>
      <div className="ml-1.5 border-l border-line pl-3">
        <Value value={value} open={open} />
      </div>
    </details>
  );
}

function Leaf({ value }: { value: unknown }) {
  if (value === null || value === undefined) return <span className="text-quiet">null</span>;
  if (typeof value === 'boolean') return <span className="text-busy">{String(value)}</span>;
  if (typeof value === 'number') return <span className="text-busy">{String(value)}</span>;
  return <span>{String(value)}</span>;
}
