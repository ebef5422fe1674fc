/**
 * The counters of a process for the series in the ledger: the requests of each key, and what the ledger does not count
 * of each campaign. They are taken every few seconds, and start again from zero.
 */
const requestKinds = ['create', 'poll', 'update', 'numbers'] as const;
export type RequestKind = (typeof requestKinds)[number];

/** The limits that an answer with 429 was taken for. */
const refusalCauses = ['rate', 'creates', 'calls'] as const;

export type KeySample = Record<RequestKind, number> & {
  refused: Record<(typeof refusalCauses)[number], number>;
};

/** Answers with 429, and the lags between the ends of calls and their settlements, in seconds. */
export type CampaignSample = { refused: number; lags: number; lagSum: number; lagMax: number };

type Samples = {
  request(key: string, kind: RequestKind): void;
  refused(key: string, cause: keyof KeySample['refused']): void;
  /** A request of a campaign got a 429. */
  busy(campaignId: string): void;
  lag(campaignId: string, seconds: number): void;
  take(): { keys: Map<string, KeySample>; campaigns: Map<string, CampaignSample> };
};

export function createSamples(): Samples {
  let keys = new Map<string, KeySample>();
  let campaigns = new Map<string, CampaignSample>();
  const ofKey = (name: string) => {
    const known = keys.get(name) ?? noRequests();
    keys.set(name, known);
    return known;
  };
  const ofCampaign = (id: string) => {
    const known = campaigns.get(id) ?? { refused: 0, lags: 0, lagSum: 0, lagMax: 0 };
    campaigns.set(id, known);
    return known;
  };
  return {
    request(key, kind) {
      ofKey(key)[kind] += 1;
    },
    refused(key, cause) {
      ofKey(key).refused[cause] += 1;
    },
    busy(campaignId) {
      ofCampaign(campaignId).refused += 1;
    },
    lag(campaignId, seconds) {
      // A service without a readable time reports nothing; a clock that differs a little must not count backwards.
      if (!Number.isFinite(seconds)) return;
      const told = Math.max(0, seconds);
      const sample = ofCampaign(campaignId);
      sample.lags += 1;
      sample.lagSum += told;
      sample.lagMax = Math.max(sample.lagMax, told);
    },
    take() {
      const taken = { keys, campaigns };
      keys = new Map();
      campaigns = new Map();
      return taken;
    },
  };
}

export function noRequests(): KeySample {
  return { create: 0, poll: 0, update: 0, numbers: 0, refused: { rate: 0, creates: 0, calls: 0 } };
}

export function requestsOf(sample: KeySample): number {
  return requestKinds.reduce((sum, kind) => sum + sample[kind], 0);
}
