import { Dialog } from '../../../kit/dialog.tsx';
import { CheckField } from '../../../kit/field.tsx';
import { personColumns } from './columns.tsx';

/** Which columns the table has; this browser keeps it. */
type ColumnsProps = { shown: readonly string[]; onChange(ids: readonly string[]): void; onClose(): void };

export function ColumnsDialog({ shown, onChange, onClose }: ColumnsProps) {
  const toggle = (id: string) => {
    const now = shown.includes(id) ? shown.filter((each) => each !== id) : [...shown, id];
    if (now.length > 0) onChange(now);
  };
  return (
    <Dialog open onClose={onClose} title="Columns">
      <fieldset className="grid grid-cols-2 gap-1">
        <legend className="mb-2 text-quiet">This browser keeps the choice.</legend>
        {personColumns.map(({ id, head }) => (
          <CheckField key={id} label={head} checked={shown.includes(id)} onChange={() => toggle(id)} />
        ))}
      </fieldset>
    </Dialog>
  );
}
