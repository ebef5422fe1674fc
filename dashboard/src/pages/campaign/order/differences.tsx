import { Button } from '../../../kit/button.tsx';

/** A change that someone else made to the order while it is edited here. */
export type Difference = { label: string; was: string; is: string };

export function Differences({ differences, onTake }: { differences: readonly Difference[]; onTake(): void }) {
  return (
    <div role="alert" className="mb-4 rounded-lg border border-warn bg-warn-soft px-4 py-3">
      <p className="font-medium text-warn">
        The order was changed since you opened it. Nothing of yours is sent yet.
      </p>
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
    </div>
  );
}
