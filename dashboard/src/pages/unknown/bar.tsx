import { useNavigate } from '@tanstack/react-router';
import type { Unknown } from '../../api/description.ts';
import { Button } from '../../kit/button.tsx';
import { Filters, SelectFilter } from '../../kit/filter.tsx';
import { count } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { doubtOf } from './doubt.ts';
import type { Target } from './settle.tsx';

/** Which campaign’s are shown, and the acts on those that are selected and on all of a campaign. */
type BarProps = {
  campaign: string | undefined;
  /** Of every campaign that has any. */
  counts: readonly { campaign: string; unknown: number }[];
  rows: readonly Unknown[];
  selected: ReadonlySet<string>;
  onSettle(these: Target): void;
};

export function Bar({ campaign, counts, rows, selected, onSettle }: BarProps) {
  const may = useMay('operate');
  const navigate = useNavigate();
  const names = counts.map((each) => each.campaign);
  const nOf = (name: string) => counts.find((each) => each.campaign === name)?.unknown ?? 0;
  const all = campaign === undefined ? counts.reduce((sum, { unknown }) => sum + unknown, 0) : nOf(campaign);
  const choices = campaign === undefined || names.includes(campaign) ? names : [...names, campaign];
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 [&>div]:my-3">
      {choices.length > 1 && (
        <Filters>
          <SelectFilter
            label="Of which campaign"
            all="Every campaign"
            value={campaign}
            choices={choices.map((name) => ({ value: name, label: `${name} (${count(nOf(name))})` }))}
            onChange={(value) => void navigate({ to: '/unknown', search: value ? { campaign: value } : {} })}
          />
        </Filters>
      )}
      <span className="my-3 text-sm text-quiet" role="status">
        {selected.size > 0
          ? `${count(selected.size)} selected`
          : rows.length < all
            ? `the oldest ${count(rows.length)} of ${count(all)}`
            : rows.length > 1 && 'The oldest first'}
      </span>
      {may && selected.size > 0 && (
        <Button small kind="main" onClick={() => onSettle({ attempts: doubtsOf(rows, selected) })}>
          Settle {count(selected.size)} selected
        </Button>
      )}
      {may && campaign !== undefined && all > 0 && (
        <Button small onClick={() => onSettle({ campaign, n: all })}>
          Settle all {count(all)} of {campaign}
        </Button>
      )}
    </div>
  );
}

function doubtsOf(rows: readonly Unknown[], selected: ReadonlySet<string>) {
  return rows.filter(({ attempt }) => selected.has(attempt)).map(doubtOf);
}
