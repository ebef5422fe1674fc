import { getRouteApi, Link } from '@tanstack/react-router';
import type { Webhook } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Empty } from '../../kit/empty.tsx';
import { Fact, Facts } from '../../kit/facts.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { counted } from '../../kit/words.ts';
import { WebhookActs } from './acts.tsx';
import { Deliveries } from './deliveries.tsx';
import { EventNames } from './events.tsx';
import { beat, StateBadge, WebhookState, WebhooksGlance } from './state.tsx';

/** One webhook: its state, its acts, and what came of the latest deliveries. */
const address = getRouteApi('/webhooks/$id');

export function WebhookPage() {
  const { id } = address.useParams();
  const webhooks = useAsk('GET /api/webhooks', {}, beat);
  const found = webhooks.data?.items.find((each) => each.id === id);
  if (!webhooks.data) return <Opening title="Webhook" of={webhooks} />;
  if (!found) {
    return (
      <Empty title="This webhook does not exist">
        It may have been removed.{' '}
        <Link to="/webhooks" className="link">
          All webhooks
        </Link>
      </Empty>
    );
  }
  return (
    <>
      <PageHead
        title={found.url.replace(/^https?:\/\//, '')}
        up={{ to: '/webhooks', label: 'Webhooks' }}
        state={<StateBadge of={found} />}
        acts={<WebhookActs of={found} />}
      />
      <WebhooksGlance of={[found]} />
      <div className="mb-6 space-y-3">
        <WebhookState of={found} />
        <Numbers of={found} />
      </div>
      <Deliveries id={id} />
    </>
  );
}

function Numbers({ of: { events, delivered, failed, behind, held, created_at: at } }: { of: Webhook }) {
  return (
    <Facts>
      <Fact name="Told of">
        <EventNames of={events} />
      </Fact>
      <Fact name="Delivered">{counted(delivered, 'event')}</Fact>
      <Fact name="Failed">{counted(failed, 'try', 'tries')}</Fact>
      <Fact name="Pending">{counted(behind + held, 'event')}</Fact>
      <Fact name="Added">
        <Time at={at} />
      </Fact>
    </Facts>
  );
}
