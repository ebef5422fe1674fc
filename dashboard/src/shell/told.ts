import type { AlertAddress } from '../api/description.ts';
import { useAsk } from '../data/queries.ts';
import { useMay } from './me.ts';

/** Who is told of alerts: a monitor only hears that Carillon lives. */
export const isTold = ({ kind }: AlertAddress) => kind !== 'monitor';

/** Whether alerts reach nobody, as no address of a person or a program is set. */
export function useNobodyTold(): boolean {
  const enabled = useMay('operate');
  const addresses = useAsk('GET /api/alerts/addresses', {}, { enabled, everyMs: 60_000 }).data?.items;
  return addresses !== undefined && !addresses.some(isTold);
}
