import { useMemo, useState } from 'react';
import type { Campaign } from '../../api/ask.ts';
import { StartCampaign, StopCampaign } from '../../campaigns/start-stop.tsx';
import { isUndriven } from '../../campaigns/state.tsx';
import { useAct, useDialogAct } from '../../data/queries.ts';
import { Button, Icon, Mark } from '../../kit/basics.tsx';
import { CheckField, FormDialog, TextField, useForm } from '../../kit/form.tsx';
import { usePageKeys } from '../../kit/keys.ts';
import { ActsMenu } from '../../kit/menu.tsx';
import { navigate } from '../../kit/router.tsx';
import { counted } from '../../kit/words.ts';
import { ConfirmAct, useAskedAct } from '../../shell/opens.tsx';
import { RetryPeople } from './bulk.tsx';
import type { CampaignTab } from './search.ts';

/** The acts on a campaign behind its menu; each asks once. */
type ActProps = { campaign: Campaign; onClose(): void };

/** Gives the campaign another name. Its id, and so its address here, stay. */
export function RenameCampaign({ campaign: { id, name, revision }, onClose }: ActProps) {
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
  // One key for what is typed: a request that was sent twice makes one draft. The name itself may not stand in a header.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another name or list is another request.
  const key = useMemo(() => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`, [typed]);
  const body = { name: typed.name, people: typed.people !== '' };
  return (
    <FormDialog
      title={`Clone ${name}`}
      onClose={onClose}
      act="Make the draft"
      onSend={() => clone.run({ id, body, idempotencyKey: key })}
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

export function DeleteCampaign({ campaign: { id, name, balance }, onClose }: ActProps) {
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

/** The acts on the campaign: the next act as a button, the others in a menu; each asks once. */
const dialogs = {
  start: StartCampaign,
  retry: RetryPeople,
  clone: CloneCampaign,
  rename: RenameCampaign,
  delete: DeleteCampaign,
};
type ActName = keyof typeof dialogs | 'pause' | 'cancel';

export function CampaignActs({ campaign }: { campaign: Campaign }) {
  const [act, setAct] = useState<ActName | null>(null);
  const { id, state } = campaign;
  const main = state === 'paused' ? 'Resume' : state === 'draft' || isUndriven(campaign) ? 'Start' : null;
  const others = othersOf(campaign);
  const goTo = (tab: CampaignTab) => void navigate({ to: '/campaigns/$id', params: { id }, search: { tab } });
  usePageKeys({
    p: () => state === 'running' && setAct('pause'),
    r: () => main && setAct('start'),
    t: () => others.some(([name]) => name === 'retry') && setAct('retry'),
    e: () => goTo('order'),
    s: () => goTo('results'),
  });
  useAskedAct((asked) => setAct(asked as ActName));
  const asked = { campaign, onClose: () => setAct(null) };
  const Asked = act && act !== 'pause' && act !== 'cancel' && dialogs[act];
  return (
    <>
      {main && (
        <Button kind="main" onClick={() => setAct('start')}>
          {main}
          <kbd className="key-in-button max-md:hidden">R</kbd>
        </Button>
      )}
      {state === 'running' && (
        <Button onClick={() => setAct('pause')}>
          <Mark shape="pause" />
          <span data-words>Pause</span>
          <kbd className="key-in-button max-md:hidden">P</kbd>
        </Button>
      )}
      <ActsMenu acts={others} onChoose={(name) => setAct(name)}>
        <Icon name="more" />
        <span data-words>More</span>
      </ActsMenu>
      {Asked && <Asked {...asked} />}
      {(act === 'pause' || act === 'cancel') && <StopCampaign {...asked} act={act} />}
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
  return acts.filter(([, , isShown]) => isShown).map(([name, words]) => [name, words]);
}
