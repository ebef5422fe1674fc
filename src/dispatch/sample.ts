import type { Meters } from '../base/meters.ts';
import { type KeySample, noRequests, requestsOf } from '../base/samples.ts';
import type { Lane } from '../lane/lane.ts';
import type { View } from '../lane/limit-view.ts';
import type { Wakes } from '../lane/wakes.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** The sample station: every few seconds, writes what this process saw of its lanes and campaigns to the ledger's series. */
export function createSample(deps: {
  ledger: Ledger;
  lanes(): readonly Lane[];
  wakes: Pick<Wakes, 'isAwake'>;
  meters: Meters;
}) {
  /** The text last written of each lane; one that does nothing writes only its changes. */
  const written = new Map<number, string>();

  return async (): Promise<void> => {
    const { keys, campaigns } = deps.meters.samples.take();
    const lanes = deps.lanes().map((lane) => sampleOf(lane, keys.get(lane.name) ?? noRequests()));
    const news = lanes.filter((sample) => written.get(sample.lane) !== signOf(sample));
    const isNews = new Set(news);
    const told = deps.lanes().flatMap((lane, at) => {
      const { sent, ...sample } = lanes[at]!;
      const own = sent > 0 || isNews.has(lanes[at]!);
      return own || deps.wakes.isAwake(lane) ? [{ ...sample, news: own }] : [];
    });
    if (told.length > 0) await deps.ledger.series.sample(told);
    for (const sample of lanes) written.set(sample.lane, signOf(sample));
    if (campaigns.size > 0)
      await deps.ledger.series.see([...campaigns].map(([id, sample]) => ({ id, ...sample })));
  };
}

function sampleOf(lane: Lane, sample: KeySample) {
  const { refused, ...requests } = sample;
  return { lane: lane.id, ...shown(lane.governor.view()), sent: requestsOf(sample), ...requests, ...refused };
}

/** Rounded: a smaller difference is not a change. */
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
