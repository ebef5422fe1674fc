import { createRandom, drawWorld, type World } from './draw.ts';

/** Services of several keys, drawn by seed: keys of one account, and keys that only look like it. */
export type Manner = 'account' | 'apart';

export function drawKeyring(seed: number, manner: Manner): World {
  const random = createRandom(seed * 104_729 + 71);
  const between = (low: number, high: number) => low + (high - low) * random();
  // What else a world may have is drawn until it has nothing else that is difficult.
  let base = drawWorld(seed * 1_000);
  for (let i = 1; isMixed(base); i++) base = drawWorld(seed * 1_000 + i);
  const keys = 2 + Math.floor(random() * 3);
  const end = base.minutes * 60_000;
  const idle = Array.from({ length: keys }, (_, key) => key).flatMap((key) => {
    if (key === 0 || random() < 0.6) return [];
    const from = between(0, end * 0.7);
    return [{ key, from: random() < 0.2 ? 0 : from, until: from + between(60_000, 600_000) }];
  });
  const named = `${base.name}, ${manner} of ${keys} keys${idle.length > 0 ? ', idle' : ''}`;
  if (manner === 'account') return { ...base, seed, keys, idle, name: named };
  const isEqual = random() < 0.5;
  // Three in four change at the same moments, as for a limit of the account; the others each at their own.
  const isTogether = random() < 0.75;
  const apart = Array.from({ length: keys }, () => {
    const late = isTogether ? 0 : between(0, 300_000);
    return { share: isEqual ? 1 : Math.exp(between(-1.5, 0)), scale: (at: number) => base.scale(at - late) };
  });
  const how = `${isEqual ? 'equal' : 'unequal'}${isTogether ? '' : ', each in its time'}`;
  return { ...base, seed, keys, idle, apart, name: `${named}, ${how}` };
}

function isMixed({ name, strangers }: World): boolean {
  return (
    strangers !== null || ['cap', 'operations', 'two', 'account', 'quota'].some((word) => name.includes(word))
  );
}
