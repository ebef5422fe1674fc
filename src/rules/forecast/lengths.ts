import { fromKept, type KeptCounts } from '../polls/age-counts.ts';
import { bins, middleOf, widthOf } from '../polls/ages.ts';

/** How long an agent's calls take, from what the polls of all campaigns saw of them. */
const enoughEndings = 10;

/** The mean in seconds; null where too little was seen. */
export function meanLengthOf(kept: readonly KeptCounts[]): number | null {
  const watched = new Float64Array(bins);
  const ended = new Float64Array(bins);
  for (const ages of fromKept(kept).values()) {
    for (let bin = 0; bin < bins; bin++) {
      watched[bin]! += ages.watched[bin]!;
      ended[bin]! += ages.ended[bin]!;
    }
  }
  if (ended.reduce((a, b) => a + b, 0) < enoughEndings) return null;
  let alive = 1;
  let mean = 0;
  for (let bin = 0; bin < bins && alive > 1e-4; bin++) {
    if (watched[bin]! <= 0) continue;
    const stays = Math.exp((-ended[bin]! / watched[bin]!) * widthOf(bin));
    mean += alive * (1 - stays) * middleOf(bin);
    alive *= stays;
  }
  return mean;
}
