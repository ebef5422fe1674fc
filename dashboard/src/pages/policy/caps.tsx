import type { Problem } from '../../api/ask.ts';
import { Button } from '../../kit/button.tsx';
import { issueAt, TextField } from '../../kit/field.tsx';
import type { RulesForm } from './written.ts';

/** The caps of a form: at most so many calls to one phone in a time. */
type Cap = RulesForm['caps'][number];

export function Caps({
  caps,
  onChange,
  problem,
}: {
  caps: readonly Cap[];
  onChange(caps: readonly Cap[]): void;
  problem: Problem | null;
}) {
  const change = (at: number, part: Partial<Cap>) =>
    onChange(caps.map((cap, nth) => (nth === at ? { ...cap, ...part } : cap)));
  return (
    <fieldset>
      <legend className="mb-1 font-medium">Caps</legend>
      <div className="space-y-2">
        {caps.map((cap, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is what the API names.
          <div key={at}>
            <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] items-start gap-3">
              <TextField
                label="Calls"
                inputMode="numeric"
                value={cap.calls}
                onChange={(event) => change(at, { calls: event.target.value })}
                error={issueAt(problem, `caps.${at}.calls`)}
              />
              <TextField
                label="In"
                placeholder="24h"
                value={cap.per}
                onChange={(event) => change(at, { per: event.target.value })}
                error={issueAt(problem, `caps.${at}.per`)}
              />
              <Button className="mt-6.5" onClick={() => onChange(caps.filter((_, nth) => nth !== at))}>
                Remove
              </Button>
            </div>
            <WholeCap problem={problem} at={at} />
          </div>
        ))}
        <Button small onClick={() => onChange([...caps, { calls: '', per: '' }])}>
          Add a cap
        </Button>
      </div>
    </fieldset>
  );
}

/** A fault of a cap as a whole, such as that another one makes it useless. */
function WholeCap({ problem, at }: { problem: Problem | null; at: number }) {
  const found = problem?.issues.find(({ path }) => path === `caps.${at}` || (at === 0 && path === 'caps'));
  if (!found) return null;
  return <p className="mt-1 text-sm text-bad">{found.message}</p>;
}
