import type { Order } from '../../rules/order.ts';
import { wrong } from './term.ts';

/** An order whose end has already passed is a mistake, unless the campaign already has that end. */
export function checkEnd({ times }: Order, now: number, standing?: Order): void {
  const { endAt } = times ?? {};
  if (endAt === undefined || Date.parse(endAt) > now || endAt === standing?.times?.endAt) return;
  throw wrong(
    `The end ${endAt} has passed`,
    'Give a later --end-at (end_at in a request), or none.',
    'end_at',
  );
}
