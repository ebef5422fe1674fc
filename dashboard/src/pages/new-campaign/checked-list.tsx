import type { ReactNode } from 'react';
import type { ImportPreview } from '../../api/description.ts';
import { Card } from '../../kit/card.tsx';
import { Stat } from '../../kit/stat.tsx';
import { count, counted } from '../../kit/words.ts';

/** The fate of the rows: how many people can be called, and why the others cannot. */
export function CheckedList({ answer }: { answer: ImportPreview }) {
  const { accepted, rejected, duplicates, never, suppressed } = answer;
  const unreadable = rejected - duplicates - never;
  return (
    <section aria-label="What would become of the rows" className="mb-6">
      <Card>
        <p className="mb-3 text-lg">
          <strong className="font-semibold">{counted(callable(answer), 'person', 'people')}</strong> can be
          called{rejected + suppressed > 0 && `, of ${counted(accepted + rejected, 'row')}`}.
        </p>
        <dl className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-4">
          <Stat name="Rejected" note="phone or row that cannot be read">
            <Some n={unreadable} />
          </Stat>
          <Stat name="Duplicates" note="the phone stands in an earlier row">
            <Some n={duplicates} />
          </Stat>
          <Stat name="Suppressed" note="must not be called, and are skipped">
            <Some n={suppressed} />
          </Stat>
          <Stat name="Never" note="by the hours and the contact rules">
            <Some n={never} />
          </Stat>
        </dl>
      </Card>
    </section>
  );
}

export const callable = ({ balance }: Pick<ImportPreview, 'balance'>) => balance.waiting;

function Some({ n }: { n: number }): ReactNode {
  return <span className={n > 0 ? 'text-warn' : 'text-quiet'}>{count(n)}</span>;
}
