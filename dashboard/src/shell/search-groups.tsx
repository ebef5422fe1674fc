import { type ReactNode, useContext } from 'react';
import type { CampaignItem } from '../api/ask.ts';
import { useAsk } from '../data/queries.ts';
import { Badge, type IconName } from '../kit/basics.tsx';
import { PageBar } from '../kit/page.tsx';
import { navigate } from '../kit/router.tsx';
import { useSettled } from '../kit/store.ts';
import { Ago, phoneText, Time } from '../kit/values.tsx';
import { count, counted } from '../kit/words.ts';
import { useNeeds } from './needs.ts';
import { byPerson, calledAt, isComplete, keepWalk, personAddress, useFind } from './people.tsx';
import { isEnough, useMe, verbs } from './reads.ts';
import { allPages } from './sidebar.tsx';

/** The things that a typed text finds, in groups: people, campaigns, pages and acts. */
export type Found = {
  id: string;
  icon: IconName;
  name: string;
  note?: string | undefined;
  /** At the right: a state, or the key that works outside the box. */
  end?: ReactNode;
  open(): void;
  to?: string;
};
export type Group = { title: string; items: Found[]; trouble?: string };

const mostOfEach = 6;
/** Before anything is typed. */
const mostCampaigns = 3;
const pauseMs = 250;

export function useGroups(typed: string, onClose: () => void): Group[] {
  const { open } = useContext(PageBar);
  const { items: things } = useNeeds();
  const me = useMe().data;
  const go = (to: string) => () => {
    onClose();
    void navigate({ to });
  };
  const has = (name: string) => name.toLowerCase().includes(typed.toLowerCase());
  const people = usePeople(typed, go);
  const campaigns = useAsk('GET /api/campaigns', { kind: 'list,calls', limit: 200 }).data?.items ?? [];
  const pages = allPages.filter(({ role, label }) => (!role || isEnough(me, role)) && has(label));
  const known = (...of: Parameters<typeof actOf>) => actOf(...of).filter(({ name }) => has(name));
  const mayAct = isEnough(me, 'operate');
  const stop = mayAct || !me ? () => open('stop') : undefined;
  const isStopped = things.some(({ id }) => id === 'stopped');
  const resume = mayAct && isStopped ? () => open('resume-all') : undefined;
  const byState = Object.keys(verbs).flatMap((state) => campaigns.filter((each) => each.state === state));
  const onCampaign = ({ id, name, state, balance }: CampaignItem) => {
    const verb = verbs[state];
    // The page asks the question that the act has there.
    const ask = state === 'running' ? 'pause' : 'start';
    const people = balance.waiting + balance.queued + balance.parked;
    if (typed === '' && people === 0) return [];
    const run = mayAct && verb ? go(`/campaigns/${id}?act=${ask}`) : undefined;
    return known(
      `${ask} ${id}`,
      ask === 'pause' ? 'pause' : 'play',
      `${verb} ${name}`,
      run,
      '',
      counted(people, 'person waits', 'people wait'),
    );
  };
  // What needs a person comes first, by the number that opens it.
  const needs = things.flatMap(({ id, what, act }, nth): Found[] => {
    if (typed !== '' || !act || !('to' in act)) return [];
    const icon = allPages.findLast(({ to }) => act.to.startsWith(to))?.icon ?? 'query';
    const end = nth < 9 && <Key>{String(nth + 1)}</Key>;
    return [{ id: `need ${id}`, icon, name: act.words, note: what, end, open: go(act.to) }];
  });
  const [first] = people?.items ?? [];
  const phone = typed.replace(/[\s().-]/g, '');
  const callPhone = go(
    `/campaigns?kind=calls&act=${encodeURIComponent(`call:${/^\+\d/.test(phone) ? phone : ''}`)}`,
  );
  const suppress = first?.to && mayAct ? go(`${first.to}?act=suppress`) : undefined;
  const found: Group[] = [
    ...(people ? [people] : []),
    {
      title: `With ${first?.name}`,
      items: actOf('suppress', 'bar', 'Suppress this person', suppress, 'S', 'asks once'),
    },
    { title: 'Needs you', items: needs },
    {
      title: 'Campaigns',
      items: (typed === '' ? [] : campaigns)
        .filter(({ name, id }) => has(name) || id === typed)
        .slice(0, mostOfEach)
        .map((each) => ({
          id: `campaign-${each.id}`,
          icon: 'lines',
          name: each.name,
          note: `${count(each.balance.rows)} people`,
          end: <Badge state={each.state} />,
          open: go(`/campaigns/${each.id}`),
        })),
    },
    {
      title: 'Acts',
      items: [
        ...byState.flatMap(onCampaign).slice(0, typed === '' ? mostCampaigns : mostOfEach),
        ...known('new', 'plus', 'New campaign', mayAct ? go('/campaigns/new') : undefined, 'C'),
        ...(mayAct && /^\+\d{6,}$/.test(phone) ? actOf('call', 'call', `Call ${phone} now`, callPhone) : []),
        ...known('call', 'call', 'Call a phone', mayAct ? callPhone : undefined),
        ...known('stop', 'bar', 'Stop everything', stop, 'Shift S', 'asks once'),
        ...known('resume', 'play', 'Resume all that was stopped', resume, '', 'asks once'),
        ...known('help', 'query', 'Keyboard shortcuts', () => open('help'), '?'),
      ],
    },
    {
      title: 'Pages',
      items: pages.map(({ to, label, icon, key }) => ({
        id: `page-${key}`,
        icon,
        name: label,
        end: (
          <>
            <Key>G</Key> <Key>{key.toUpperCase()}</Key>
          </>
        ),
        open: go(to),
      })),
    },
  ];
  const shown = found.filter(({ items, trouble }) => items.length > 0 || trouble);
  // A group in which nobody was found stands below what was found.
  const isLast = ({ items, trouble }: Group) => items.length === 0 && trouble !== looking;
  return [...shown.filter((each) => !isLast(each)), ...shown.filter(isLast)];
}

const looking = 'Looking';

/** Nothing is run where the person may not do it; a `letter` is the key that does it outside of the box. */
const actOf = (
  id: string,
  icon: IconName,
  name: string,
  open?: () => void,
  letter?: string,
  note?: string,
): Found[] => (open ? [{ id, icon, name, note, end: letter && <Key>{letter}</Key>, open }] : []);

const Key = ({ children }: { children: string }) => <kbd className="key">{children}</kbd>;

/** People are asked for when the typing rests, and what was typed can find somebody; each person once, over all campaigns. */
function usePeople(typed: string, go: (to: string) => () => void): Group | null {
  const rested = useSettled(typed, pauseMs);
  const isAsked = rested !== '' && rested === typed && isComplete(rested);
  const found = useFind(isAsked ? rested : '', 20);
  const seesPeople = isEnough(useMe().data, 'read_people');
  if (!seesPeople || typed === '' || !isComplete(typed)) return null;
  const none = (trouble: string): Group => ({ title: 'People', items: [], trouble });
  if (found.error) return none(found.error.message);
  if (!isAsked || !found.data) return none(looking);
  const rows = found.data.items;
  if (rows.length === 0)
    return none(
      `Nobody is found by “${rested}”. Part of a phone or a name finds people; so does column:value, or the id of a call.`,
    );
  // In the order in which they were found: who was called last comes first.
  const latest = byPerson(rows);
  const people = latest.map(([row]) => personAddress(row!));
  const items = latest.slice(0, mostOfEach).map((those): Found => {
    const [row] = those as [(typeof rows)[number]];
    const at = calledAt(row) || (row.until ?? '');
    const when =
      Date.parse(at) > Date.now() ? ['until ', <Time key="at" at={at} />] : <Ago key="at" at={at} />;
    const where = those.length === 1 ? row.campaign : `${count(those.length)} campaigns`;
    return {
      id: `person-${row.id}`,
      icon: 'people',
      name: row.name ?? phoneText(row.phone ?? row.id),
      note: row.name && row.phone ? `${phoneText(row.phone)} · ${where}` : where,
      end: (
        <>
          <Badge state={row.outcome ?? row.state} /> {at && <span className="text-quiet">{when}</span>}
        </>
      ),
      to: personAddress(row),
      open() {
        keepWalk(`found by “${rested}”`, people, all.to!);
        go(personAddress(row))();
      },
    };
  });
  const all: Found = {
    id: 'all',
    to: `/people?phone=${encodeURIComponent(rested)}`,
    icon: 'people',
    name: found.data.next === null ? `All ${count(latest.length)} people` : `All people with “${rested}”`,
    open: () => go(all.to!)(),
  };
  return { title: 'People', items: rows.length > items.length ? [...items, all] : items };
}
