import { useState } from 'react';
import type { Campaign } from '../../api/description.ts';
import { StartCampaign } from '../../campaigns/start.tsx';
import { StopCampaign } from '../../campaigns/stop.tsx';
import { Button, buttonClasses } from '../../kit/button.tsx';
import { Icon } from '../../kit/icon.tsx';
import { ActsMenu } from '../../kit/menu.tsx';
import { count, counted } from '../../kit/words.ts';
import { PageLink } from '../../shell/page-link.tsx';

/** The way on when enough was heard: the campaign continues, changes, or ends. It is quiet until all are judged. */
export function Then({ left, of, campaign }: { left: number; of: number; campaign: Campaign }) {
  const [act, setAct] = useState<'start' | 'cancel' | null>(null);
  const { id, balance } = campaign;
  const people = balance.waiting + balance.parked;
  const close = () => setAct(null);
  return (
    <div className="mt-2 text-sm">
      <p className="text-quiet">
        {left === 0 && `All ${count(of)} are judged. `}
        {counted(people, 'person waits', 'people wait')} until you resume.
      </p>
      <div className="mt-2 flex flex-wrap items-center gap-1.5">
        <Button small kind={left > 0 ? 'plain' : 'main'} onClick={() => setAct('start')}>
          {left > 0
            ? `Resume without judging ${count(left)}`
            : `Resume for ${counted(people, 'person', 'people')}`}
        </Button>
        <PageLink to={`/campaigns/${id}?tab=order`} className={buttonClasses('plain', true)}>
          Change its settings
        </PageLink>
        <ActsMenu small acts={[['cancel', 'Cancel the campaign']]} onChoose={() => setAct('cancel')}>
          <Icon name="more" />
          <span className="sr-only">More</span>
        </ActsMenu>
      </div>
      {act === 'start' && <StartCampaign campaign={campaign} onClose={close} />}
      {act === 'cancel' && <StopCampaign campaign={campaign} act="cancel" onClose={close} />}
    </div>
  );
}
