import type { Activity, Alert, CampaignItem, Key } from '../api/ask.ts';
import { count, counted, groupsOf, inRow, sentenceOf, whoText } from '../kit/words.ts';
import {
  type Act,
  actOfStill,
  alerts,
  causes,
  closedKeys,
  openHealth,
  resumeAll,
  spentOf,
} from './causes.ts';

/** One thing that needs a person, in words. */
export type Need = {
  id: string;
  tone: 'bad' | 'odd' | 'warn';
  what: string;
  /** The consequence, and what Carillon does by itself; commands stand between backticks. */
  text: string;
  /** When Carillon asks the service next. */
  asks?: string | null;
  since?: string;
  act?: Act;
  icon?: 'scales' | 'pause';
  /** Nobody is called at all. */
  all?: boolean;
  /** The campaigns that stand still for it. */
  of?: readonly string[];
};

const earliest = (times: readonly string[]) => times.toSorted()[0]!;

/** A remedy without the commands for which the page has a button. */
export const asPage = (remedy: string) =>
  remedy.replace(/ \(`[^)]*`\)/g, '').replace(/: `carillon [^`]*`(?=[.;])/g, '');

/** Between what an alert is about, such as a campaign with any name, and why. */
const partition = /: (?=about \d|the first says )|(?<= (?:takes no events|not reach [^:]*)): /;

export function needOfAlert({ code, subject, severity, title, message, remedy, since }: Alert): Need {
  const { act, what, follows } = alerts[code];
  // What the title says is not said again.
  const [head, rest] = message.split(partition, 2);
  const why = (follows !== undefined && rest) || message;
  return {
    id: `${code} ${subject}`,
    tone: severity === 'critical' ? 'bad' : 'warn',
    what: what?.(head!) ?? `${title}.`,
    text: `${sentenceOf(why)} ${follows ?? asPage(remedy)}`,
    since,
    all: code === 'history-lost',
    ...(code === 'list-rejected' && { of: [subject] }),
    ...(act && { act: act(subject) }),
  };
}

/** The closed keys among what needs a person. */
export function needsOfKeys(
  present: readonly Key[],
  closed: readonly Key[],
  campaigns: readonly CampaignItem[],
): Need[] {
  const of = campaigns.flatMap(({ id, standstill: still }) =>
    still?.cause === 'refused' || still?.cause === 'no-credit' ? id : [],
  );
  if (closed.length < 2 || closed.length < present.length)
    return closed.map((key) => ({ ...needOfKey(key, present.length === 1 ? campaigns : null), of }));
  const probes = closed.flatMap(({ probe_at: at }) => at ?? []);
  const reasons = closed.map((key) => wordsOf(key).is(key.name)).join('; ');
  return [
    {
      id: 'every key',
      tone: 'bad',
      what: `No key is open. ${nobodyText(campaigns)}.`,
      text: `${sentenceOf(reasons)} ${waitingText(waitingIn(campaigns))}`,
      asks: probes.length > 0 ? earliest(probes) : null,
      since: earliest(closed.map(({ since }) => since)),
      act: { to: '/keys', words: 'Open the keys' },
      all: true,
      of,
    },
  ];
}

const wordsOf = ({ state }: Key) => closedKeys[state as keyof typeof closedKeys];

export const waitingIn = (campaigns: readonly CampaignItem[]) =>
  campaigns.reduce((sum, { balance: { waiting, queued, parked } }) => sum + waiting + queued + parked, 0);
const waitingText = (people: number) =>
  `${counted(people, 'person waits', 'people wait')}; no attempt is lost.`;

/** Calls in progress last, whatever keeps new ones from being made. */
const nobodyText = (campaigns: readonly CampaignItem[]) =>
  campaigns.some(({ balance }) => balance.calling > 0) ? 'No new call is made' : 'Nobody is called';

/** The campaigns that wait for it, as it is the only key; null where others call. */
export function needOfKey(key: Key, campaigns: readonly CampaignItem[] | null): Need {
  const { name, state, since, parked, probe_at: asks } = key;
  const { is, follows } = wordsOf(key);
  const isOnly = campaigns !== null;
  const waiting = waitingIn(campaigns ?? []);
  const held =
    !isOnly && state === 'out_of_credit' && `${counted(parked, 'person is', 'people are')} parked.`;
  return {
    id: `key ${name}`,
    tone: 'bad',
    what: `${sentenceOf(is(`the key ${name}`))}${isOnly ? ` ${nobodyText(campaigns)}.` : ''}`,
    text: [waiting > 0 && waitingText(waiting), held, follows].filter(Boolean).join(' '),
    asks,
    since,
    all: isOnly,
    act: { to: `/keys/${encodeURIComponent(name)}`, words: 'Open the key' },
  };
}

/** The mildest: calls are made by the hours of their campaigns alone. */
export function needOfRules(campaigns: readonly CampaignItem[]): Need {
  const atNight = campaigns.filter(
    (each) => each.kind === 'list' && (each.state === 'running' || each.reason === byStop) && !each.window,
  );
  return {
    id: 'no rules',
    tone: 'warn',
    what: 'No contact rules are in force.',
    text:
      atNight.length > 0
        ? `${namesOf(atNight)} ${atNight.length > 1 ? 'have' : 'has'} no hours: people are called at night too.`
        : 'Only the hours of each campaign keep people from being called at night.',
    icon: 'scales',
    act: { to: '/policy', words: 'Choose the rules' },
  };
}

/** The reason of a campaign that the stop button paused. */
export const byStop = 'paused by hand: everything was stopped';

/** After a stop of everything: one line for all that it stopped; `act` is who did it, where that is known. */
export function needOfStop(
  stopped: readonly CampaignItem[],
  isAll: boolean,
  act: Activity | undefined,
): Need[] {
  if (stopped.length === 0) return [];
  const waiting = waitingIn(stopped);
  const many = (verb: string) => counted(stopped.length, `campaign is ${verb}`, `campaigns are ${verb}`);
  const paused = act ? `${whoText(act)} stopped ${counted(stopped.length, 'campaign')}` : many('paused');
  return [
    {
      id: 'stopped',
      tone: 'warn',
      what: isAll ? 'Everything is stopped.' : `${many('stopped')}.`,
      text: `${paused}, and ${counted(waiting, 'person waits', 'people wait')} until you resume.`,
      since: earliest(stopped.map(({ since }) => since)),
      act: resumeAll,
      icon: 'pause',
      all: isAll,
    },
  ];
}

/** `placed` of them surely exist: only their end is missing. `held` is what waits for them. */
export function needOfUnknown(
  unknowns: number,
  placed: number,
  oldest: string | undefined,
  isRising: boolean,
  held: readonly Need[],
): Need[] {
  if (unknowns === 0) return [];
  const ends = `${counted(placed, 'call was', 'calls were')} placed, and nobody told ${placed === 1 ? 'its end' : 'their ends'}.`;
  const asked = `${counted(unknowns - placed, 'call')} may have been placed.`;
  const whose =
    unknowns === 1 ? 'The campaign does not call this person' : 'Their campaigns do not call these people';
  const joined = (words: readonly (string | false)[]) => words.filter(Boolean).join(' ');
  return [
    {
      id: 'unknown',
      tone: 'odd',
      what: joined([placed < unknowns && asked, placed > 0 && ends]),
      text: joined([
        ...new Set(held.flatMap(({ what, text }) => [what, text])),
        isRising && held.length === 0 && 'More calls than usual become unknown.',
        `${whose} again until you say what happened.`,
      ]),
      ...(oldest !== undefined && { since: oldest }),
      act: { to: '/unknown', words: `Settle ${counted(unknowns, 'call')}` },
      of: held.flatMap(({ of = [] }) => of),
    },
  ];
}

/** The first people's calls that nobody judged yet, of a campaign that waits for it. */
export const toJudge = ({ state, reason, first_judged: judged }: CampaignItem): number =>
  state === 'paused' && reason === 'first' ? judged.left : 0;

/** It stands still until a person acts, and a line of its own says so. */
export const hasOwnNeed = ({ standstill }: CampaignItem) =>
  standstill !== null && standstill.ends !== 'time' && !causes[standstill.cause].isElsewhere;

const namesOf = (campaigns: readonly CampaignItem[]): string => {
  const names = campaigns.map(({ name }) => name);
  const more = names.splice(2).length;
  return inRow(more > 0 ? [...names, counted(more, 'other')] : names);
};

const plural = (text: string) =>
  text
    .replace(/\bits\b/g, 'their')
    .replace(/\bIts\b/g, 'Their')
    .replace(/\bGive it\b/g, 'Give them');

/** Campaigns that stand still for one cause: a line. */
function needOfStanding(campaigns: readonly CampaignItem[]): Need {
  const [first] = campaigns as [CampaignItem];
  const { cause, message, act: remedy } = first.standstill!;
  const many = campaigns.length > 1;
  const text = `${sentenceOf(message)} ${asPage(remedy)}`;
  const need: Need = {
    id: first.id,
    tone: 'warn',
    icon: 'pause',
    what: `${namesOf(campaigns)} ${many ? 'call' : 'calls'} nobody.`,
    text: many ? plural(text) : text,
    since: earliest(campaigns.map(({ standstill }) => standstill!.since)),
    act: actOfStill(first) ?? { to: `/campaigns/${first.id}`, words: 'Open the campaign' },
    of: campaigns.map(({ id }) => id),
  };
  if (cause === 'unknown')
    return { ...need, what: `${namesOf(campaigns)} ${many ? 'have' : 'has'} nobody else to call.`, text: '' };
  if (cause === 'first')
    return {
      ...need,
      what: `${first.name} waits until you have heard its first calls.`,
      text: `${counted(toJudge(first), 'call')} to judge, then resume it for the ${count(first.balance.waiting)} who wait.`,
    };
  if (cause !== 'no-worker') return need;
  // Whatever the campaign, nobody is dialled.
  const { icon: _, ...grave } = need;
  return {
    ...grave,
    id: 'no-worker',
    tone: 'bad',
    all: true,
    what: `${nobodyText(campaigns)}: ${message}.`,
    text: `${waitingText(waitingIn(campaigns))} ${remedy}`,
    act: openHealth,
  };
}

/**
 * Alerts, and campaigns that stand still, a line for each cause: an alert that only says why some of them do is not told
 * beside them, and what ails a process says which it does not dial.
 */
export function needsOfCauses(raised: readonly Alert[], campaigns: readonly CampaignItem[]): Need[] {
  const still = campaigns.filter(hasOwnNeed);
  const standing = groupsOf(still, (each) => {
    const { cause, message } = each.standstill!;
    return causes[cause].isShared ? message : spentOf(each);
  });
  const spent = still.flatMap((each) => (each.standstill!.cause === 'budget' ? spentOf(each) : []));
  const told = raised.filter(
    ({ code, subject }) => !alerts[code].isElsewhere && !(code === 'budget-near' && spent.includes(subject)),
  );
  const lines = told.map((alert): Need => {
    const need = needOfAlert(alert);
    const { code, subject } = alert;
    if (!alerts[code].ofHealth || subject === '') return need;
    const those = still.filter(
      ({ standstill }) => standstill!.cause === 'no-worker' && standstill!.message.includes(subject),
    );
    if (those.length === 0) return need;
    standing.delete(those[0]!.standstill!.message);
    const what = `${need.what} ${namesOf(those)} ${those.length === 1 ? 'calls' : 'call'} nobody.`;
    return { ...need, what, all: true, of: those.map(({ id }) => id) };
  });
  return [...lines, ...[...standing.values()].map(needOfStanding)];
}
