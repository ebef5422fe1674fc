import { usePages } from '../api/pages.ts';
import { useAsk } from '../api/queries.ts';

/** Finds people by what someone typed: a phone in any form, the id of a call or an attempt, a name, or `variable:value`. */
const uuid = /^[\da-f]{8}-[\da-f-]{27}$/i;
const phone = /^\+?[\d\s().\-/]{6,}$/;
const words = /^\p{L}[\p{L}\s.'’-]*$/u;

function queryOf(asked: string) {
  if (uuid.test(asked)) return { attempt: asked };
  if (phone.test(asked)) return { phone: [asked] };
  if (/^[^:\s]+:/.test(asked)) return { variable: [asked] };
  return words.test(asked) ? { variable: [`name:${asked}`] } : { call_id: asked };
}

/** Whether it may find somebody: a phone with enough digits, a name of some letters, a variable with its value, an id. */
export function isComplete(asked: string): boolean {
  if (phone.test(asked)) return asked.replace(/\D/g, '').length >= 7;
  if (words.test(asked)) return asked.length >= 3;
  return /^[^:\s]+:.+/.test(asked) || (!asked.includes(':') && asked.length >= 8);
}

/** The ids of calls look like those of attempts at some services, so both are tried. */
export function useFind(asked: string, limit: number) {
  const first = useAsk('GET /api/calls', { query: { ...queryOf(asked), limit } }, { enabled: asked !== '' });
  const isElse = uuid.test(asked) && first.data?.items.length === 0;
  const second = useAsk('GET /api/calls', { query: { call_id: asked, limit } }, { enabled: isElse });
  return isElse ? second : first;
}

const atOnce = 100;

/** The same, a page at a time. */
export function useFindAll(asked: string) {
  const first = usePages('GET /api/calls', { query: { ...queryOf(asked), limit: atOnce } });
  const isElse = uuid.test(asked) && first.rows?.length === 0;
  const second = usePages(
    'GET /api/calls',
    { query: { call_id: asked, limit: atOnce } },
    { enabled: isElse },
  );
  return isElse ? second : first;
}

/** The address of a person: by the phone, or by a row where the phone is hidden or erased. */
export function personAddress({ phone: number, id }: { phone: string | null; id: string }): string {
  return `/people/${encodeURIComponent(number || id)}`;
}
