import { drawWorld } from './draw.ts';
import { carillon as maker } from './ours.ts';
import { play } from './play.ts';
import { score } from './score.ts';

const [, from = '1', to = '100', show = ''] = process.argv.slice(2);
const rows: { world: ReturnType<typeof drawWorld>; s: ReturnType<typeof score> }[] = [];
const tr = process.env.TRACE?.split('-').map(Number);
const t = performance.now();
for (let seed = Number(from); seed <= Number(to); seed++) {
  const world = drawWorld(seed);
  if (process.env.ONLY && !new RegExp(process.env.ONLY).test(world.name)) continue;
  if (process.env.BASIC && /cap|operations|two|account|quota|strangers/.test(world.name)) continue;
  const s = score(
    world,
    play(
      world,
      maker,
      tr &&
        (({ now, ok, kind, was, belief, odds }) => {
          const { pace, creates: c } = belief;
          if (now / 1000 < tr[0]! || now / 1000 > tr[1]! || pace === was) return;
          const name = (p: typeof pace) => (p.stall ? (p.stall.probes ? 'shut' : 'doubt') : p.phase);
          console.log(
            `${(now / 1000).toFixed(2)} ${ok ? 'ok ' : '429'} ${kind[0]} ${name(was)}>${name(pace)} rate ${pace.rate.toFixed(2)} limit ${pace.limit?.toFixed(2)} fl ${pace.floor.toFixed(2)} ce ${pace.ceil.toFixed(2)} used ${pace.used.toFixed(0)} count ${pace.count} ${c.kind} odds ${odds.toFixed(1)} most ${c.most.toFixed(1)} cr ${c.pace ? `${c.pace.rate.toFixed(2)}/${c.pace.limit?.toFixed(2)}` : ''} win ${pace.window ? `${pace.window.ms / 1000}:${pace.window.count.toFixed(0)}/${pace.window.held.toFixed(0)} t${pace.window.turns}` : ''} true ${(world.limits[0]!.rate * world.scale(now)).toFixed(2)}`,
          );
        }),
    ),
  );
  rows.push({ world, s });
}
const q = (xs: number[], p: number) =>
  [...xs].sort((a, b) => a - b)[Math.min(xs.length - 1, Math.floor(p * xs.length))]!;
const used = rows.map((r) => r.s.used),
  ref = rows.map((r) => r.s.refused);
const pc = (x: number, d = 1) => (100 * x).toFixed(d);
console.log(
  `${rows.length} worlds ${((performance.now() - t) / 1000).toFixed(1)} s: used median ${pc(q(used, 0.5))} p5 ${pc(q(used, 0.05))} p1 ${pc(q(used, 0.01))}; refused median ${pc(q(ref, 0.5), 2)} p95 ${pc(q(ref, 0.95), 2)} p99 ${pc(q(ref, 0.99), 2)}`,
);
const ch = rows.flatMap((r) => r.s.changes);
for (const [n, f] of [
  ['rise', (x: number) => x > 1.5],
  ['fall', (x: number) => x < 0.67],
] as const) {
  const c = ch.filter((x) => f(x.factor));
  if (c.length)
    console.log(
      n,
      c.length,
      'settled median',
      q(
        c.map((x) => x.settled),
        0.5,
      ),
      'p90',
      q(
        c.map((x) => x.settled),
        0.9,
      ),
      'used75',
      pc(
        q(
          c.map((x) => x.used),
          0.5,
        ),
      ),
      'ref75',
      pc(
        q(
          c.map((x) => x.refused),
          0.5,
        ),
        2,
      ),
      'p90',
      pc(
        q(
          c.map((x) => x.refused),
          0.9,
        ),
        2,
      ),
    );
}
if (show) {
  const bad = rows
    .map((r) => ({ ...r, cost: Math.max((0.98 - r.s.used) / 0.08, (r.s.refused - 0.005) / 0.025) }))
    .sort((a, b) => b.cost - a.cost)
    .slice(0, Number(show));
  for (const { world, s } of bad)
    console.log(
      String(world.seed).padStart(5),
      pc(s.used).padStart(6),
      pc(s.refused, 2).padStart(6),
      world.name,
      `p${world.processes} j${world.jitterMs.toFixed(0)} rtt${world.rttMs.toFixed(0)} ra:${world.retryAfter} k${world.keys} cap${world.maxCalls} cs${world.callSeconds}`,
    );
}
const cats = new Map<string, typeof rows>();
for (const r of rows) {
  const w = r.world;
  const special = ['cap', 'operations', 'two', 'account', 'quota', 'strangers'].find((x) =>
    w.name.includes(x),
  );
  const m = w.limits[0]!;
  const long =
    m.kind !== 'bucket' && m.kind !== 'leaky'
      ? m.seconds >= 60
        ? '60'
        : m.seconds >= 10
          ? '10'
          : '1'
      : m.kind === 'bucket'
        ? m.rate * m.seconds < 2
          ? 'tiny'
          : ''
        : '';
  const c =
    special ??
    `${m.kind}${long} ${m.rate * (m.seconds > 5 && m.kind !== 'bucket' ? 1 : 1) < 2 ? 'slow' : 'fast'}${w.jitterMs > 100 ? ' jit' : ''}`;
  const c2 = special ? c : `${c}${w.changes.length ? ' chg' : ''}`;
  cats.set(c2, [...(cats.get(c2) ?? []), r]);
}
if (process.env.CATS)
  for (const [c, rs] of [...cats].sort())
    console.log(
      c.padEnd(24),
      String(rs.length).padStart(3),
      'used',
      pc(
        q(
          rs.map((r) => r.s.used),
          0.5,
        ),
      ).padStart(6),
      'p10',
      pc(
        q(
          rs.map((r) => r.s.used),
          0.1,
        ),
      ).padStart(6),
      'refused',
      pc(
        q(
          rs.map((r) => r.s.refused),
          0.5,
        ),
        2,
      ).padStart(6),
      'p90',
      pc(
        q(
          rs.map((r) => r.s.refused),
          0.9,
        ),
        2,
      ).padStart(6),
    );
const groups: Record<string, (w: (typeof rows)[0]['world']) => boolean> = {
  still: (w) => w.name.includes('stands') && !/cap|operations|two|account|quota|strangers/.test(w.name),
  moving: (w) => !w.name.includes('stands') && !/cap|operations|two|account|quota|strangers/.test(w.name),
  long: (w) =>
    w.limits[0]!.seconds >= 10 &&
    w.limits[0]!.kind !== 'bucket' &&
    !/cap|operations|two|account|quota|strangers/.test(w.name),
  slow: (w) => w.limits[0]!.rate < 2 && !/cap|operations|two|account|quota|strangers/.test(w.name),
  tiny: (w) =>
    w.limits[0]!.kind === 'bucket' &&
    w.limits[0]!.rate * w.limits[0]!.seconds < 2 &&
    !/cap|operations|two|account|quota|strangers/.test(w.name),
  jitter: (w) => w.jitterMs > 100 && !/cap|operations|two|account|quota|strangers/.test(w.name),
  strangers: (w) => w.strangers !== null,
  cap: (w) => w.maxCalls !== null,
  ops: (w) => w.name.includes('operations'),
  two: (w) => w.name.includes('two'),
  account: (w) => w.keys > 1,
};
for (const [c, f] of Object.entries(groups)) {
  const rs = rows.filter((r) => f(r.world));
  if (rs.length)
    console.log(
      c.padEnd(10),
      String(rs.length).padStart(3),
      'used',
      pc(
        q(
          rs.map((r) => r.s.used),
          0.5,
        ),
      ).padStart(6),
      'p10',
      pc(
        q(
          rs.map((r) => r.s.used),
          0.1,
        ),
      ).padStart(6),
      'refused',
      pc(
        q(
          rs.map((r) => r.s.refused),
          0.5,
        ),
        2,
      ).padStart(6),
      'p90',
      pc(
        q(
          rs.map((r) => r.s.refused),
          0.9,
        ),
        2,
      ).padStart(6),
    );
}
