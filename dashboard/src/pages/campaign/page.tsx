import { type ReactNode, useState } from 'react';
import type { Campaign } from '../../api/ask.ts';
import { StartCampaign, StopCampaign } from '../../campaigns/start-stop.tsx';
import { hasEnded, isUndriven, peopleOf, StateBadge, waitsForTime } from '../../campaigns/state.tsx';
import { useAct, useDialogAct, useKeyOf, useLive } from '../../data/queries.ts';
import { Button, Icon, Mark } from '../../kit/basics.tsx';
import { CheckField, FormDialog, TextField, useForm } from '../../kit/form.tsx';
import { usePageKeys } from '../../kit/keys.ts';
import { ActsMenu } from '../../kit/menu.tsx';
import { Commands, Notice, Page } from '../../kit/page.tsx';
import { Link, navigate, useParams, useSearch } from '../../kit/router.tsx';
import { nextCallText } from '../../kit/their-time.tsx';
import { Time } from '../../kit/values.tsx';
import { classes, count, counted } from '../../kit/words.ts';
import { asPage, byStop, type Need } from '../../shell/need.ts';
import { needOf, useNeeds } from '../../shell/needs.ts';
import { NeedAct, NeedText } from '../../shell/needs-list.tsx';
import { ConfirmAct, useAskedAct } from '../../shell/opens.tsx';
import { part } from '../../shell/part.tsx';
import { useMay } from '../../shell/reads.ts';
import { RetryPeople } from './bulk.tsx';

/** The acts on a campaign behind its menu; each asks once. */
type ActProps = { campaign: Campaign; onClose(): void };

/** Gives the campaign another name. Its id, and so its address here, stay. */
function RenameCampaign({ campaign: { id, name, revision }, onClose }: ActProps) {
  // Of when it was opened: a change by someone else is not overwritten unseen.
  const [version] = useState(revision);
  const rename = useDialogAct('PATCH /api/campaigns/{id}', onClose, (now) => `${name} is ${now.name} now.`);
  const { typed, field, frame } = useForm({ name }, rename);
  return (
    <FormDialog
      title={`Rename ${name}`}
      onClose={onClose}
      act="Rename"
      keep="Keep as it is"
      onSend={() => rename.run({ id, body: typed, ifMatch: version })}
      {...frame}
    >
      <TextField {...field('name', 'Name', 'Its files and its address in the API are named by it.')} />
    </FormDialog>
  );
}

type CloneProps = {
  campaign: Pick<Campaign, 'id' | 'name' | 'balance'>;
  withList?: boolean;
  onClose(): void;
};

export function CloneCampaign({ campaign: { id, name, balance }, withList = false, onClose }: CloneProps) {
  const clone = useAct('POST /api/campaigns/{id}/clone', {
    done: (made) => `${made.name} is a draft.`,
    onDone(made) {
      onClose();
      navigate({ to: '/campaigns/$id', params: { id: made.id } }).catch(() => undefined);
    },
    quiet: true,
  });
  const { typed, field, box, frame } = useForm({ name: `${name} 2`, people: withList ? 'yes' : '' }, clone);
  const idempotencyKey = useKeyOf(typed);
  const body = { name: typed.name, people: typed.people !== '' };
  return (
    <FormDialog
      title={`Clone ${name}`}
      onClose={onClose}
      act="Make the draft"
      onSend={() => clone.run({ id, body, idempotencyKey })}
      {...frame}
    >
      <TextField {...field('name', 'Name of the draft')} />
      <CheckField
        label={`With its list: ${counted(balance.rows, 'row')}, as never called`}
        {...box('people')}
      />
    </FormDialog>
  );
}

function DeleteCampaign({ campaign: { id, name, balance }, onClose }: ActProps) {
  const people = counted(balance.rows, 'row');
  return (
    <ConfirmAct
      onClose={onClose}
      title={`Delete ${name}?`}
      act={`Delete ${people}`}
      danger
      name="DELETE /api/campaigns/{id}"
      asked={{ id }}
      done={({ rows, done }) =>
        done
          ? `${name} is deleted with ${counted(rows, 'row')}.`
          : `${name} is deleted; the rest of its rows follow within minutes.`
      }
      onDone={() => void navigate({ to: '/campaigns' })}
    >
      <p>
        {people} with every attempt, reject and result are deleted. This cannot be undone; download the
        results first. The contact rules’ counts by phone stay.
      </p>
    </ConfirmAct>
  );
}

const dialogs = {
  start: StartCampaign,
  pause: (asked: ActProps) => <StopCampaign {...asked} act="pause" />,
  retry: RetryPeople,
  clone: CloneCampaign,
  rename: RenameCampaign,
  cancel: (asked: ActProps) => <StopCampaign {...asked} act="cancel" />,
  delete: DeleteCampaign,
};
type ActName = keyof typeof dialogs;

function CampaignActs({ campaign }: { campaign: Campaign }) {
  const [act, setAct] = useState<ActName | null>(null);
  const { id, state, reason, standstill } = campaign;
  const main = state === 'paused' ? 'Resume' : state === 'draft' || isUndriven(campaign) ? 'Start' : null;
  const others = othersOf(campaign);
  const goTo = (tab: keyof typeof parts) =>
    void navigate({ to: '/campaigns/$id', params: { id }, search: { tab } });
  usePageKeys({
    p: () => state === 'running' && setAct('pause'),
    r: () => main && setAct('start'),
    t: () => others.some(([name]) => name === 'retry') && setAct('retry'),
    e: () => goTo('order'),
    s: () => goTo('results'),
  });
  useAskedAct((asked) => setAct(asked as ActName));
  const Asked = act && dialogs[act];
  return (
    <>
      {main && (
        // What the service refused, it refuses again until the settings are corrected; all that was stopped has one act.
        <Button
          acts
          kind={standstill?.cause === 'order' || reason === byStop ? 'plain' : 'main'}
          onClick={() => setAct('start')}
        >
          {main}
          <kbd className="key-in-button max-md:hidden">R</kbd>
        </Button>
      )}
      {state === 'running' && (
        <Button acts onClick={() => setAct('pause')}>
          <Mark shape="pause" />
          <span data-words>Pause</span>
          <kbd className="key-in-button max-md:hidden">P</kbd>
        </Button>
      )}
      <ActsMenu acts={others} onChoose={(name) => setAct(name)}>
        <Icon name="more" />
        <span data-words>More</span>
      </ActsMenu>
      {Asked && <Asked campaign={campaign} onClose={() => setAct(null)} />}
    </>
  );
}

/** Single calls have no order to copy, no name to change, and are not made again. */
function othersOf({ state, kind, balance }: Campaign): [ActName, string][] {
  const isList = kind === 'list';
  const acts: [ActName, string, boolean][] = [
    ['retry', 'Try people again', isList && state !== 'canceled' && balance.done > 0],
    ['clone', 'Clone', isList],
    ['rename', 'Rename', isList && state !== 'canceled'],
    ['cancel', 'Cancel for good', state !== 'canceled' && state !== 'done'],
    ['delete', 'Delete', true],
  ];
  return acts.flatMap(([name, words, isShown]) => (isShown ? [[name, words]] : []));
}

/** One campaign, watched and steered. Each part is loaded when it is first opened, and has an address of its own. */
const parts = {
  overview: ['Overview', part(() => import('./overview/tab.tsx'), 'OverviewTab')],
  people: ['People', part(() => import('./people/tab.tsx'), 'PeopleTab')],
  order: ['Settings', part(() => import('./order/tab.tsx'), 'OrderTab')],
  results: ['Results', part(() => import('./results/tab.tsx'), 'ResultsTab')],
  activity: ['Activity', part(() => import('./activity.tsx'), 'ActivityTab')],
} as const;

const above = { to: '/campaigns', label: 'Campaigns' };

export function CampaignPage() {
  const { id } = useParams('/campaigns/$id');
  const search = useSearch('/campaigns/$id');
  const { tab = 'overview' } = search;
  const [, Part] = parts[tab];
  const mayAct = useMay('operate');
  const answer = useLive('GET /api/campaigns/{id}', { id }, { everyMs: 2_000, on: ['campaign.'] });
  const campaign = answer.data;
  const waits = waitsForTime(campaign?.standstill ?? null);
  const place = { id };
  const ahead = useLive('GET /api/campaigns/{id}/forecast', place, { everyMs: 30_000, enabled: waits }).data;
  const { items } = useNeeds();
  if (!campaign) return <Page title="Campaign" up={above} of={answer} />;
  const isOver = hasEnded(campaign);
  const isRunning = campaign.state === 'running';
  // The same words and the same act as on the overview.
  const need = needOf(items, campaign);
  const halted = haltedWords(campaign, need);
  const act = need?.act && (!('to' in need.act) || need.act.to !== `/campaigns/${campaign.id}`) && need.act;
  return (
    <Page
      title={campaign.name}
      up={above}
      state={
        <>
          <StateBadge of={campaign} soft />
          <span className={classes('truncate text-xs text-quiet', waits ? 'max-lg:hidden' : 'max-xl:hidden')}>
            {(waits && nextCallText(ahead, campaign.balance.attempts)) || (
              <>
                {isOver ? 'ended' : isRunning ? 'running since' : 'made'}{' '}
                <Time at={isOver || isRunning ? campaign.since : campaign.created_at} />
              </>
            )}
          </span>
        </>
      }
      acts={mayAct && <CampaignActs campaign={campaign} />}
    >
      {halted && (
        <Notice tone={need?.tone ?? 'warn'} title={halted[0]} act={act && <NeedAct act={act} />}>
          {halted[1]}
        </Notice>
      )}
      <nav
        aria-label="Parts of the campaign"
        className="-mx-4 mb-5 flex gap-5 overflow-x-auto border-b border-line px-4 text-sm [scrollbar-width:none] lg:-mx-6 lg:px-6"
      >
        {Object.entries(parts).map(([name, [label]]) => (
          <Link
            key={name}
            search={(before) => ({ ...before, tab: name })}
            aria-current={name === tab ? 'page' : undefined}
            className={classes(
              'border-b-2 py-2.5 whitespace-nowrap outline-offset-[-2px]',
              name === tab ? 'border-text font-medium' : 'border-transparent text-quiet hover:text-text',
            )}
          >
            {name === 'people' && campaign.kind === 'calls' ? 'Calls' : label}
            {name === 'people' && (
              <span className="ml-1.5 font-normal text-quiet" aria-hidden="true">
                {count(peopleOf(campaign.balance))}
              </span>
            )}
          </Link>
        ))}
      </nav>
      <Part key={id} campaign={campaign} search={search} />
    </Page>
  );
}

/** Why nobody is called now, and what to do: it stands above the parts, where one looks first. */
function haltedWords(campaign: Campaign, need: Need | undefined): [what: string, then: ReactNode] | null {
  const { state, reason, standstill } = campaign;
  if (state === 'draft')
    return [
      'This is a draft: nobody is called until it is started.',
      'Look at the settings and at the people, then start it.',
    ];
  if (need) return [need.what, <NeedText key="text" of={need} />];
  // Of everything that was stopped, the banner tells.
  if (!standstill || waitsForTime(standstill) || reason === byStop) return null;
  if (reason?.startsWith('paused by hand'))
    return ['A person paused it.', 'Resume it to continue. Activity says who paused it, and when.'];
  return [`It calls nobody: ${standstill.message}.`, <Commands key="act" text={asPage(standstill.act)} />];
}
