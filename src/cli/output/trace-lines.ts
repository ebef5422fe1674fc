import type { ShownCourse } from '../../control/calls/course.ts';
import { timeText } from '../terminal/table.ts';

/** Each request of an attempt as a line for curl, with its answer. */
export function drawTrace({ id, exchanges }: Pick<ShownCourse, 'id' | 'exchanges'>): string[] {
  if (exchanges.length === 0)
    return [`No requests of the attempt ${id} are kept: requests are deleted after a week.`];
  return exchanges.flatMap((each) => [
    `${timeText(each.at)}  ${each.operation}, ${each.ms} ms`,
    `  ${each.curl}`,
    each.status === null
      ? `  no answer: ${each.why ?? 'unknown'}`
      : `  ${each.status} ${(each.answer ?? '').trim()}${each.why ? ` (${each.why})` : ''}`,
    '',
  ]);
}
