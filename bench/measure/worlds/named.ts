import type { World } from './draw.ts';
import { play } from './play.ts';
import { allowedOf, score } from './score.ts';

const base: World = {
  seed: 1,
  name: '',
  minutes: 5,
  limits: [],
  scale: () => 1,
  changes: [],
  strangers: null,
  maxCalls: null,
  quota: null,
  keys: 1,
  processes: 1,
  rttMs: 20,
  jitterMs: 10,
  retryAfter: 'none',
  callSeconds: 35,
};
const [, seeds = '5'] = process.argv.slice(2);

import { carillon as maker } from './ours.ts';

const med = (xs: number[]) => [...xs].sort((a, b) => a - b)[xs.length >> 1]!;
const pc = (x: number, d = 0) => (100 * x).toFixed(d);
for (const [a, b, c] of [
  [30, 10, 45],
  [12, 4, 18],
] as const)
  for (const kind of ['bucket', 'fixed', 'sliding', 'leaky'] as const)
    for (const phase of [75, 200])
      for (const p of [1, 4]) {
        if (process.env.ONLY && `${kind} ${a} ${phase} ${p}` !== process.env.ONLY) continue;
        const rows: number[][] = [];
        for (let seed = 1; seed <= Number(seeds); seed++) {
          const world: World = {
            ...base,
            seed,
            processes: p,
            minutes: Math.ceil((3 * phase) / 60),
            limits: [{ kind, rate: a, seconds: 1, scope: 'all' }],
            changes: [phase * 1000, 2 * phase * 1000],
            scale: (at) => (at < phase * 1000 ? 1 : at < 2 * phase * 1000 ? b / a : c / a),
          };
          const played = play(world, maker);
          const sum = (of: ArrayLike<number>, f: number, u: number) => {
            let t = 0;
            for (let i = Math.floor(f); i < u && i < of.length; i++) t += of[i]!;
            return t;
          };
          const seg = (f: number, u: number) => {
            let al = 0;
            for (let i = f; i < u; i++) al += allowedOf(world, i, 1.6);
            const ok = sum(played.accepted, f, u);
            const no = sum(played.refused, f, u);
            return [ok / al, no / Math.max(1, ok + no)];
          };
          const settled = (f: number, r: number) => {
            for (let i = f; i < f + phase - 5; i++) {
              const q = sum(played.accepted, i, i + 5) / 5 / r;
              if (q >= 0.9 && q < 1.25) return i - f;
            }
            return 999;
          };
          const first = seg(20, phase),
            low = seg(phase, phase + 75),
            high = seg(2 * phase, 2 * phase + 75);
          rows.push([
            first[0]!,
            first[1]!,
            low[0]!,
            low[1]!,
            settled(phase, b),
            high[0]!,
            high[1]!,
            settled(2 * phase, c),
          ]);
        }
        const m = rows[0]!.map((_, i) => med(rows.map((r) => r[i]!)));
        console.log(
          `${kind.padEnd(8)} ${a}-${b}-${c} /${phase} p${p}`.padEnd(26),
          `after 20 s ${pc(m[0]!)} ${pc(m[1]!, 1)} | fall ${pc(m[2]!)} ${pc(m[3]!, 1)} in ${m[4]} | rise ${pc(m[5]!)} ${pc(m[6]!, 1)} in ${m[7]}`,
        );
      }
void score;
