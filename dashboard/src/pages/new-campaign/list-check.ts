import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Problem } from '../../api/ask.ts';
import type { ImportPreview } from '../../api/description.ts';
import { change, clearFaults, type Draft, noteFaults } from './draft.ts';
import { useFile } from './file-store.ts';
import { columnsOf, hoursOf, orderOf } from './order.ts';
import { useSettled } from './settled.ts';
import { fieldsOf } from './steps.ts';
import { uploadOnce } from './upload.ts';

/** The API's word on the chosen file, with nothing stored: asked again when what it is judged by changes. */
export type ListCheck = {
  /** Null when this browser no longer has the file; undefined while it is looked for. */
  file: File | null | undefined;
  answer: ImportPreview | undefined;
  problem: Problem | null;
  /** The answer shown meanwhile is that of before. */
  isRunning: boolean;
  /** How much of the file was sent, from 0 to 1. */
  sent: number;
  again(): void;
};

/** By the hours of the order, or by all of it: then it also foretells when the calls end. */
export function useListCheck(draft: Draft, by: 'hours' | 'order'): ListCheck {
  const file = useFile(draft.file?.id);
  const [sent, setSent] = useState(0);
  const wanted = addressOf(draft, by);
  const asked = useSettled(wanted);
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
    const found = { people: told.balance.waiting, rejected: told.rejected };
    change({ found: noPhones === null ? found : null });
  }, [told, by, noPhones]);
  return {
    file,
    answer: query.data,
    problem: query.error,
    isRunning: query.isFetching || asked !== wanted,
    sent,
    again: () => void query.refetch(),
  };
}

/** A value that was refused at one field may be put right at another. */
const judgedBy = { hours: fieldsOf(['people', 'hours']), order: fieldsOf(['people', 'hours', 'limits']) };

function addressOf(draft: Draft, by: 'hours' | 'order'): string {
  const { override: _, agent, ...order } = orderOf(draft);
  const named = agent.length > 0 ? { agent } : {};
  const judged = by === 'hours' ? hoursOf(order) : { ...order, ...named };
  return `/api/imports/preview?${new URLSearchParams({ ...columnsOf(draft), order: JSON.stringify(judged) })}`;
}
