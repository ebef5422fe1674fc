import { lazy, Suspense, useState } from 'react';
import type { CampaignItem } from '../api/description.ts';
import { useMay } from '../shell/me.ts';

/** The overview is the first screen: the dialogs come when they are asked for. */
const StartCampaign = lazy(() => import('./start.tsx').then((it) => ({ default: it.StartCampaign })));
const StopCampaign = lazy(() => import('./stop.tsx').then((it) => ({ default: it.StopCampaign })));

const verbs: Partial<Record<CampaignItem['state'], string>> = {
  draft: 'Start',
  running: 'Pause',
  paused: 'Resume',
};

/** The next act, in the line that tells of the campaign; it asks the same as on the campaign's own page. */
export function QuickAct({ campaign }: { campaign: CampaignItem }) {
  const [open, setOpen] = useState(false);
  const may = useMay('operate');
  const { state, name } = campaign;
  const verb = verbs[state];
  if (!may || !verb) return null;
  const close = () => setOpen(false);
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        aria-label={`${verb} ${name}`}
        className="inline-flex min-h-6 shrink-0 items-center rounded-md border border-line px-1.5 text-xs text-quiet hover:bg-quiet-soft hover:text-text max-sm:min-h-10 max-sm:px-2"
      >
        {verb}
      </button>
      <Suspense>
        {open && state === 'running' && <StopCampaign campaign={campaign} act="pause" onClose={close} />}
        {open && state !== 'running' && <StartCampaign campaign={campaign} onClose={close} />}
      </Suspense>
    </>
  );
}
