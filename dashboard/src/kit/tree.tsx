import { classes } from './words.ts';

/** Data of any shape as a tree that opens and closes: as a service sent it, or with its names and values in words. */
type TreeProps = { value: unknown; open?: boolean; inWords?: boolean };

export function Tree({ value, open = true, inWords = false }: TreeProps) {
  return (
    <div
      className={classes(
        'text-sm [overflow-wrap:anywhere]',
        inWords ? '[&_[data-name]]:w-25 [&_ul]:space-y-1.5' : 'font-mono',
      )}
    >
      <Value value={inWords ? worded(value) : value} open={open} />
    </div>
  );
}

/** `opt_out: false` as `opt out: no`. */
function worded(value: unknown): unknown {
  if (value === null) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(worded);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value as object).map(([name, each]) => [name.replaceAll('_', ' '), worded(each)]),
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
        <span data-name className="shrink-0 text-quiet">
          {name}
        </span>
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
