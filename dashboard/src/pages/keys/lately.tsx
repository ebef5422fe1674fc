import { useAsk } from '../../data/queries.ts';
import { Section } from '../../kit/card.tsx';
import { useMay } from '../../shell/me.ts';
import { Entries } from '../activity/entry.tsx';

const most = 10;

/** When keys closed and opened and numbers rested, and who did what to them; of one key or of all. */
export function Lately({ name }: { name?: string }) {
  const list = useAsk(
    'GET /api/activity',
    { query: { verb: 'key,number,alert', subject: name, limit: 100 } },
    { on: ['key.', 'number.'], enabled: useMay('operate') },
  );
  const rows = list.data?.items.filter(({ after }) =>
    /^(?:undefined|key-|number-)/.test(String(after?.code)),
  );
  if (!rows?.length) return null;
  return (
    <Section id="lately" title="What happened" bare>
      <Entries rows={rows.slice(0, most)} />
    </Section>
  );
}
