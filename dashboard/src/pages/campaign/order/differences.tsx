import { Button } from '../../../kit/button.tsx';
import { Notice } from '../../../kit/notice.tsx';

/** A change that someone else made to the order while it is edited here. */
export type Difference = { label: string; was: string; is: string };

export function Differences({ differences, onTake }: { differences: readonly Difference[]; onTake(): void }) {
  return (
    <Notice isAlert title="The order was changed since you opened it. Nothing of yours is sent yet.">
      <ul className="my-2">
        {differences.map(({ label, was, is }) => (
          <li key={label}>
            {label}: <del>{was || 'default'}</del> → <ins className="no-underline">{is || 'default'}</ins>
          </li>
        ))}
      </ul>
      <Button small onClick={onTake}>
        Take these, and keep what I typed
      </Button>
    </Notice>
  );
}
