import { createContext, useContext } from 'react';
import type { CampaignItem } from '../api/ask.ts';
import { useAsk, useLive } from '../data/queries.ts';
import { alerts as watched } from './causes.ts';
import {
  byStop,
  hasOwnNeed,
  type Need,
  needOfRules,
  needOfStop,
  needOfUnknown,
  needsOfCauses,
  needsOfKeys,
  toJudge,
} from './need.ts';
import { inProgress, useActiveCampaigns, useLiveCalls, useMay, useMe } from './reads.ts';

/** Everything that needs a person, gravest first: the same for the overview, the navigation and the tab's title. */
export type Needs = ReturnType<typeof useReadNeeds>;
export type Counts = Needs['counts'];

const beatMs = 15_000;
/** The shell reads them once, for itself and for every page. */
export const KnownNeeds = createContext<Needs | null>(null);
export const useNeeds = (): Needs => useContext(KnownNeeds)!;

export function useReadNeeds() {
  const enabled = useMe().data !== undefined;
  const alerts = useLive('GET /api/alerts', {}, { everyMs: 30_000, on: ['alert.'], enabled });
  const keys = useLive('GET /api/keys', {}, { everyMs: beatMs, on: ['key.'], enabled });
  const unknown = useLive(
    'GET /api/unknown',
    { limit: 1, counts: '1' },
    { everyMs: 20_000, on: ['attempt.unknown'], enabled },
  );
  const active = useActiveCampaigns(beatMs, enabled).data?.items;
  const campaigns = active ?? [];
  const running = campaigns.filter(({ kind, state }) => kind === 'list' && state === 'running').length;
  const stopped = campaigns.filter(({ state, reason }) => state === 'paused' && reason === byStop);
  // Those that were stopped would call by the same rules when they are resumed.
  const mayCall = running + stopped.length > 0;
  const policy = useAsk('GET /api/policy', {}, { enabled: enabled && mayCall, everyMs: 60_000 }).data;
  // Rules that were switched off are a decision: nobody is asked for it again.
  const noRules = mayCall && policy?.version === null;
  const pauses = useAsk(
    'GET /api/activity',
    { verb: 'campaign.pause', limit: 20 },
    { enabled: useMay('operate') && stopped.length > 0 },
  ).data?.items;
  const live = useLiveCalls({}, beatMs, enabled).data;
  const raised = alerts.data?.items ?? [];
  const raisedOf = (code: (typeof raised)[number]['code']) =>
    raised.filter((each) => each.code === code).length;
  const present = keys.data?.items.filter((key) => key.present) ?? [];
  const closed = present.filter(({ state }) => state !== 'open');
  const doubts = unknown.data?.campaigns ?? [];
  const placed = doubts.reduce((sum, each) => sum + each.placed, 0);
  const unknowns = doubts.reduce((sum, each) => sum + each.unknown, 0);

  const all = needsOfCauses(raised, campaigns);
  // What unknown calls hold is told with them.
  const held = unknowns > 0 ? all.filter(isHeld) : [];
  const items: Need[] = [
    ...all.filter((need) => !held.includes(need)),
    ...needsOfKeys(present, closed, campaigns),
    ...needOfUnknown(
      unknowns,
      placed,
      unknown.data?.items[0]?.dialing_at,
      raisedOf('unknown-rising') > 0,
      held,
    ),
    ...needOfStop(
      stopped,
      running === 0,
      pauses?.find(({ after }) => after?.reason === byStop),
    ),
  ];
  items.sort((a, b) => graveness(a) - graveness(b));
  if (noRules) items.push(needOfRules(campaigns));
  return {
    items,
    isKnown: Boolean(alerts.data && keys.data && unknown.data && active && (!mayCall || policy)),
    counts: {
      calling: live ? inProgress(live) : 0,
      running,
      toJudge: campaigns.reduce((sum, each) => sum + toJudge(each), 0),
      unknown: unknowns,
      closedKeys: closed.length,
      noRules: noRules ? 1 : 0,
      downWebhooks: raisedOf('webhook-down'),
      unsentAlerts: raisedOf('alerts-unsent'),
      ill: raised.filter(({ code }) => watched[code].ofHealth).length,
    },
  };
}

const isHeld = ({ act }: Need) => act !== undefined && 'to' in act && act.to.startsWith('/unknown');

/** What was stopped comes first, then a ledger that lost its history, and keys that are all closed. */
const graveness = ({ id, all, tone }: Need) =>
  id === 'stopped' ? 0 : all ? 1 : 2 + ['bad', 'odd', 'warn'].indexOf(tone);

/** It stands still, or people of it do, until a person acts. */
export const waitsForPerson = (campaign: CampaignItem) =>
  hasOwnNeed(campaign) || campaign.balance.unknown + campaign.balance.parked > 0;

/** What keeps one campaign from calling, as the overview tells it; else what keeps all from it. */
export const needOf = (items: readonly Need[], { id, state, standstill }: CampaignItem) =>
  items.find(({ id: cause, of = [] }) => of.includes(id) && (standstill || cause.startsWith('list-'))) ??
  items.find(
    ({ all, tone }) => (state === 'running' || standstill?.cause === 'history-lost') && all && tone === 'bad',
  );

/** What tells that everything is stopped. */
export const stopOf = (items: readonly Need[]) => items.find(({ id, all }) => id === 'stopped' && all);

/** What keeps people from being called; of everything that was stopped, the banner tells on every page. */
export const haltsOf = (items: readonly Need[]) =>
  items.filter(({ id, all, of = [] }) => id !== 'stopped' && (all || of.length > 0));
