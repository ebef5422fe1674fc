import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aimd, awsAdaptive, bottleneck, bullmq, pQueue } from '../../peers/limits.ts';
import { services } from './limiters.ts';
import { carillon } from './ours.ts';
import { play, type SystemMaker, settledAfter } from './play.ts';

/** Unpublished limits: how much of each a system uses and how often it is refused, compared with peers. */
const systems: Record<string, SystemMaker> = {
  Carillon: carillon,
  'AWS adaptive': awsAdaptive,
  AIMD: aimd,
  bottleneck,
  'p-queue': pQueue,
  BullMQ: bullmq,
};

export type LimitsOptions = { seeds: number; folder: string };

export function measureLimits({ seeds, folder }: LimitsOptions, signal: AbortSignal): void {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const names = Object.keys(systems);
  say(
    '% of the limit used / % of requests answered 429; medians over seeds, 30 virtual minutes, endless backlog',
  );
  say(['service'.padEnd(26), ...names.map((name) => name.padStart(15))].join(''));
  const rows = services.map((service) => {
    if (signal.aborted) throw new Error('interrupted');
    const minutes = service.minutes ?? 30;
    const cells = names.map((name) => {
      const runs = range(seeds).map((seed) => play({ service, system: systems[name]!, seed, minutes }));
      return {
        system: name,
        used: median(runs.map((r) => r.used)),
        refused: median(runs.map((r) => r.refused)),
      };
    });
    say(
      [
        service.name.padEnd(26),
        ...cells.map((c) => `${percent(c.used)} /${percent(c.refused, 2)}`.padStart(15)),
      ].join(''),
    );
    return { service: service.name, minutes, cells };
  });
  say('');
  say(
    'Carillon after the limit halves at 10 min and doubles at 20: seconds until 90 % of the new limit is used',
  );
  const changes = services
    .filter((service) => !service.minutes)
    .map((service) => {
      const runs = range(seeds).map((seed) => {
        const scale = (at: number) => (at >= 600_000 && at < 1_200_000 ? 0.5 : 1);
        const run = play({ service, system: carillon, seed, minutes: 30, scale });
        return {
          halved: settledAfter(run, 600_000, service.rate / 2, service.windowMs),
          doubled: settledAfter(run, 1_200_000, service.rate, service.windowMs),
        };
      });
      const halved = median(runs.map((r) => r.halved));
      const doubled = median(runs.map((r) => r.doubled));
      say(`${service.name.padEnd(26)}${String(halved).padStart(6)}${String(doubled).padStart(6)}`);
      return { service: service.name, halved, doubled };
    });
  say('');
  for (const note of notes) say(note);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'limits.json');
  writeFileSync(path, `${JSON.stringify({ seeds, rows, changes, notes }, null, 2)}\n`);
  say(`\nWritten to ${path}`);
}

const notes = [
  'More than 100 % is possible if a fixed window began before the run or ends after it.',
  'All peers are models of their published algorithms under the virtual clock, with 50 workers each. AWS adaptive:',
  'token bucket on a CUBIC curve, beta 0.7, scale 0.4, and the SDK’s own exponential back-off. AIMD: +0.5/s each',
  'second, halved once a second. bottleneck (minTime), p-queue (intervalCap) and BullMQ (limiter) need a',
  'rate and get 10/s; they back off exponentially after a 429, BullMQ as a whole queue.',
];

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function percent(share: number, digits = 0): string {
  return (share * 100).toFixed(digits).padStart(digits > 0 ? 6 : 4);
}
