import type { ReactNode } from 'react';
import type { Key, OneKey } from '../../api/description.ts';
import { useAct } from '../../data/queries.ts';
import { Button, buttonClasses } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { showToast } from '../../kit/toast.tsx';
import { count, counted } from '../../kit/words.ts';
import { useCallsOf } from '../../shell/live-calls.ts';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';

/** What can be done with a key, each act with its effect. A key has no pause: campaigns have, and everything has. */
export function KeyActs({ of: key }: { of: OneKey }) {
  const { name, queues } = key;
  const calling = useCallsOf()(key);
  const mayAct = useMay('operate');
  return (
    <Section id="acts" title="What you can do">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-2">
        <Act act={<To at={`/live?key=${encodeURIComponent(name)}`}>Live calls</To>}>
          {calling === 0
            ? 'Nobody is called with it now.'
            : 'See who is called with it now, and hang up there.'}
        </Act>
        <Act act={<To at={`/jobs?key=${encodeURIComponent(name)}`}>See the queue</To>}>
          {queues
            ? `${counted(depthOf(queues.dial), 'call')} to make and ${count(calling)} in progress: whom, and why each waits.`
            : 'The queue cannot be reached, or VOICE_API_KEYS does not have the key: Health says which.'}
        </Act>
        {mayAct && key.present && key.state === 'open' && (
          <Act act={<AskKey of={key} />}>
            Asks the service whether it accepts the key. Nobody is called for it.
          </Act>
        )}
        <Act act={<To at="/campaigns?state=running">Pause a campaign</To>}>
          Shows the campaigns that run, each with its pause.
        </Act>
      </dl>
    </Section>
  );
}

const depthOf = ({ waiting, delayed, active }: NonNullable<OneKey['queues']>['dial']) =>
  waiting + delayed + active;

function Act({ act, children }: { act: ReactNode; children: ReactNode }) {
  return (
    <>
      <dt className="grid">{act}</dt>
      <dd className="text-sm text-quiet">{children}</dd>
    </>
  );
}

function To({ at, children }: { at: string; children: ReactNode }) {
  return (
    <PageLink to={at} className={buttonClasses('plain', true)}>
      {children}
    </PageLink>
  );
}

/** Asks the service for the key: one that it accepts is open from then on. That of a closed key stands beside what is wrong. */
export function AskKey({ of: { name, state, present }, isMain = false }: { of: Key; isMain?: boolean }) {
  const may = useMay('operate');
  const ask = useAct('POST /api/keys/{name}/resume', {
    onDone({ was, resumed }) {
      const more = resumed > 0 ? `; ${counted(resumed, 'person continues', 'people continue')}` : '';
      const text = was === 'open' ? `The service accepts ${name}.` : `${name} creates calls again${more}.`;
      showToast({ kind: 'done', text });
    },
  });
  if (!may || !present) return null;
  const isOpen = state === 'open';
  return (
    <Button
      kind={isMain ? 'main' : 'plain'}
      small={!isMain}
      busy={ask.isPending}
      onClick={() => ask.run({ params: { name } })}
    >
      {ask.isPending ? 'Asking the service' : isOpen ? 'Check the key' : 'Resume'}
    </Button>
  );
}

/** Says that this process has the right secret and rate. */
export function ConfirmKey({ of: { name } }: { of: Key }) {
  const may = useMay('admin');
  const confirm = useAct('POST /api/keys/{name}/confirm', {
    done: ({ differ }) =>
      `The secret of this server holds${differ.length > 0 ? `; ${count(differ.length)} must be restarted` : ''}.`,
  });
  if (!may) return null;
  return (
    <Button busy={confirm.isPending} onClick={() => confirm.run({ params: { name } })}>
      This server’s is right
    </Button>
  );
}
