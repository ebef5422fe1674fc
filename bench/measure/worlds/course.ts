import { isShut } from '../../../src/rules/limit/pace.ts';
import type { Pace } from '../../../src/rules/limit/pace-state.ts';
import type { World } from './draw.ts';
import type { Trace } from './play.ts';

/** One world's course, a line for each answer that changed the belief. */
export function courseOf(world: World, from: number, until: number, say: (line: string) => void): Trace {
  return ({ now, ok, kind, was, belief, odds }) => {
    const { pace, creates } = belief;
    const at = now / 1_000;
    if (at < from || at > until || pace === was) return;
    const { limit, window } = pace;
    const own = creates.pace;
    say(
      [
        at.toFixed(2).padStart(8),
        ok ? 'ok ' : '429',
        kind.padEnd(6),
        `${stateOf(was)}>${stateOf(pace)}`.padEnd(14),
        `true ${trueLimit(world, now)}`,
        `rate ${pace.rate.toFixed(2)} limit ${digits(limit)} floor ${digits(pace.floor)} ceil ${digits(pace.ceil)}`,
        `used ${pace.used.toFixed(0)} count ${pace.count}`,
        `creates ${creates.kind} odds ${odds.toFixed(1)}`,
        creates.kind === 'cap' ? `most ${creates.most.toFixed(1)}` : '',
        own ? `own ${own.rate.toFixed(2)}/${digits(own.limit)}` : '',
        window
          ? `window ${window.ms / 1_000} s ${window.count.toFixed(0)}/${window.size.toFixed(0)} turn ${window.turns}`
          : '',
      ]
        .filter((part) => part !== '')
        .join(' '),
    );
  };
}

function stateOf({ stall, phase }: Pace): string {
  if (!stall) return phase;
  return isShut(stall) ? 'shut' : 'doubt';
}

function trueLimit({ limits, scale }: World, now: number): string {
  const [main] = limits;
  return main ? (main.rate * scale(now)).toFixed(2) : 'none';
}

function digits(value: number | null): string {
  return value === null ? '-' : value.toFixed(2);
}
