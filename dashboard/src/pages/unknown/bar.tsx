import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Unknown } from '../../api/description.ts';
import { Button } from '../../kit/button.tsx';
import { count, counted } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { doubtOf } from './doubt.ts';
import { SettleDialog, type Target } from './settle.tsx';

/** Which campaign’s are shown, and the acts on those that are selected and on all of a campaign. */
type BarProps = {
  campaign: string | undefined;
  /** Of every campaign that has any. */
  counts: readonly { campaign: string; unknown: number }[];
  rows: readonly Unknown[];
  selected: ReadonlySet<string>;
  onSettled(): void;
};

export function Bar({ campaign, counts, rows, selected, onSettled }: BarProps) {
  const [target, setTarget] = useState<Target | null>(null);
  const may = useMay('operate');
  const navigate = useNavigate();
  const names = counts.map((each) => each.campaign);
  const nOf = (name: string) => counts.find((each) => each.campaign === name)?.unknown ?? 0;
  const all = campaign === undefined ? counts.reduce((sum, { unknown }) => sum + unknown, 0) : nOf(campaign);
  const choices = campaign === undefined || names.includes(campaign) ? names : [...names, campaign];
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <select
        aria-label="Of which campaign"
        value={campaign ?? ''}
        onChange={({ target: { value } }) =>
          void navigate({ to: '/unknown', search: value === '' ? {} : { campaign: value } })
        }
        className="min-h-9 max-w-full rounded-md border border-line-strong bg-card px-2"
      >
        <option value="">All campaigns</option>
        {choices.map((name) => (
          <option key={name} value={name}>
            {name} ({count(nOf(name))})
          </option>
        ))}
      </select>
      <span className="text-quiet" role="status">
        {rows.length < all
          ? `the oldest ${count(rows.length)} of ${counted(all, 'attempt')}`
          : counted(all, 'attempt')}
        {selected.size > 0 && `, ${count(selected.size)} selected`}
      </span>
      {may && (
        <span className="ml-auto flex flex-wrap gap-2">
          {selected.size > 0 && (
            <Button kind="main" onClick={() => setTarget({ attempts: doubtsOf(rows, selected) })}>
              Settle {count(selected.size)} selected
            </Button>
          )}
          {campaign !== undefined && all > 0 && (
            <Button onClick={() => setTarget({ campaign, n: all })}>
              Settle all {count(all)} of {campaign}
            </Button>
          )}
        </span>
      )}
      {target && <SettleDialog of={target} onClose={() => setTarget(null)} onSettled={onSettled} />}
    </div>
  );
}

function doubtsOf(rows: readonly Unknown[], selected: ReadonlySet<string>) {
  return rows.filter(({ attempt }) => selected.has(attempt)).map(doubtOf);
}
