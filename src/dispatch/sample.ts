import type { Meters } from '../base/metrics/meters.ts';
import { type KeySample, noRequests, requestsOf } from '../base/metrics/samples.ts';
import type { Wakes } from '../lane/awake-lanes.ts';
import type { Lane } from '../lane/lane.ts';
import type { View } from '../lane/limit-view.ts';
import type { Ledger } from '../ledger/ledger.ts';

/**
 * The sample station: writes what this process saw of its lanes and campaigns to the ledger's series every few seconds.
 */
export function createSample(deps: {
  ledger: Ledger;
  lanes(): readonly Lane[];
  wakes: Pick<Wakes, 'isAwake'>;
  meters: Meters;
}) {
  /** The text last written for each lane; an idle lane writes only its changes. */
  const written = new Map<number, string>();

  return async (): Promise<void> => {
    const { keys, campaigns } = deps.meters.samples.take();
    const signs = new Map<number, string>();
    const told = deps.lanes().flatMap((lane) => {
      const sample = sampleOf(lane, keys.get(lane.name) ?? noRequests());
      const sign = signOf(sample);
      const news = sample.sent > 0 || written.get(lane.id) !== sign;
      signs.set(lane.id, sign);
      const { sent: _, ...shown } = sample;
      return news || deps.wakes.isAwake(lane) ? [{ ...shown, news }] : [];
    });
    if (told.length > 0) await deps.ledger.series.sample(told);
    for (const [lane, sign] of signs) written.set(lane, sign);
    if (campaigns.size > 0)
      await deps.ledger.series.see([...campaigns].map(([id, sample]) => ({ id, ...sample })));
  };
}

function sampleOf(lane: Lane, sample: KeySample) {
  const { refused, ...requests } = sample;
  return { lane: lane.id, ...shown(lane.governor.view()), sent: requestsOf(sample), ...requests, ...refused };
}

/** Rounded, so that small differences do not count as changes. */
function shown({ rate, limit, sure, cap, probing }: View) {
  const round = (value: number) => Number(value.toPrecision(4));
  return {
    pace: round(rate),
    believed: limit === null ? null : round(limit),
    sure: Math.round(sure * 100) / 100,
    cap,
    probing,
  };
}

function signOf({ pace, believed, cap, probing, sent }: ReturnType<typeof sampleOf>): string {
  return JSON.stringify([pace, believed, cap, probing, sent > 0]);
}
