import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type ImportPreview, Problem } from '../../api/ask.ts';
import { Meter } from '../../kit/bars.tsx';
import { Trouble } from '../../kit/page.tsx';
import { Link } from '../../kit/router.tsx';
import { useSettled } from '../../kit/store.ts';
import { count, counted, percent } from '../../kit/words.ts';
import { change, clearFaults, type Draft, noteFaults } from './draft.ts';
import { useFile } from './file-store.ts';
import { columnsOf, hoursOf, orderOf } from './order.ts';
import { uploadOnce } from './saving.ts';
import { fieldsOf, stepOf, titles } from './steps.ts';

export type ListCheck = ReturnType<typeof useListCheck>;
export type StepProps = { draft: Draft; check: ListCheck };

/**
 * The API's word on the chosen file, with nothing stored: asked again when what it is judged by changes. By the hours of the
 * order, or by all of it: then it also foretells when the calls end.
 */
export function useListCheck(draft: Draft, by: 'hours' | 'order') {
  const file = useFile(draft.file?.id);
  const [sent, setSent] = useState(0);
  const wanted = addressOf(draft, by);
  const asked = useSettled(wanted, 400);
  const query = useQuery<ImportPreview, Problem>({
    queryKey: ['list-check', draft.file?.id, asked],
    queryFn: async ({ signal }) => {
      setSent(0);
      try {
        return await uploadOnce<ImportPreview>(draft.file!.id, asked, file!, { signal, onSent: setSent });
      } catch (error) {
        if (error instanceof Problem) noteFaults(error.issues);
        throw error;
      }
    },
    enabled: file instanceof File,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    placeholderData: (before, query) => (query?.queryKey[1] === draft.file?.id ? before : undefined),
  });
  // Nobody can be called before the column with the phones is known.
  const noPhones = query.data?.problem ?? null;
  const told = query.isSuccess && !query.isPlaceholderData ? query.data : undefined;
  useEffect(() => {
    if (!told) return;
    clearFaults(judgedBy[by]);
    if (noPhones !== null) noteFaults([{ path: 'map', message: noPhones }]);
    const found = { people: callable(told), rejected: told.rejected + told.suppressed };
    change({ found: noPhones === null ? found : null });
  }, [told, by, noPhones]);
  return {
    /** Null when this browser no longer has it; undefined while it is looked for. */
    file,
    answer: query.data,
    problem: query.error,
    /** The answer shown meanwhile is that of before. */
    isRunning: query.isFetching || asked !== wanted,
    /** When it was answered: a forecast counts from then. */
    at: query.dataUpdatedAt,
    sent,
    again: () => void query.refetch(),
  };
}

/** A value that was refused at one field may be put right at another. */
const judgedBy = { hours: fieldsOf(['people', 'hours']), order: fieldsOf(['people', 'hours', 'limits']) };

function addressOf(draft: Draft, by: 'hours' | 'order'): string {
  const { override: _, ...order } = orderOf(draft);
  const judged = by === 'hours' ? hoursOf(order) : order;
  return `/api/imports/preview?${new URLSearchParams({ ...columnsOf(draft), order: JSON.stringify(judged) })}`;
}

/** How far the check is, then what came of the rows: how many people can be called, and why others cannot. */
export function Checked({ check }: { check: ListCheck }) {
  const { isRunning, sent, answer, problem, again } = check;
  const step = problem && stepOf(problem.issues.map(({ path }) => path));
  return (
    <div aria-live={isRunning ? 'off' : 'polite'} className="mb-6 min-h-6">
      {isRunning && (
        <Meter
          label="Sent of the file"
          value={sent}
          words={
            sent < 1
              ? `Sent for a check: ${percent(Math.round(sent * 100) / 100)}`
              : 'Each row is being checked…'
          }
        />
      )}
      {!isRunning && problem && (
        <Trouble
          problem={problem}
          retry={problem.status === 0 || problem.status >= 500 ? again : undefined}
        />
      )}
      {!isRunning && step && <Link to={`/campaigns/new?step=${step}`}>Change it under {titles[step]}</Link>}
      {!isRunning && answer && !answer.problem && (
        <p className="text-lg">
          <strong className="font-semibold">{counted(callable(answer), 'person', 'people')}</strong> can be
          called{othersIn(answer)}.
        </p>
      )}
    </div>
  );
}

export const callable = ({ balance }: Pick<ImportPreview, 'balance'>) => balance.waiting;

function othersIn({ accepted, rejected, duplicates, never, suppressed }: ImportPreview): string {
  const counts = [
    [rejected - duplicates - never, 'cannot be read'],
    [duplicates, 'repeat a phone'],
    [suppressed, 'must not be called'],
    [never, 'have no open hour'],
  ] as const;
  const told = counts.flatMap(([n, why]) => (n > 0 ? [`${count(n)} ${why}`] : []));
  return told.length === 0 ? '' : `, of ${counted(accepted + rejected, 'row')}: ${told.join(', ')}`;
}
