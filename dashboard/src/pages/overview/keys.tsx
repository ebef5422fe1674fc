import { useLive } from '../../data/use-live.ts';
import { Section } from '../../kit/card.tsx';
import { count } from '../../kit/words.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { closedFirst, KeyLine, NoKeys } from '../keys/line.tsx';

const most = 8;

/** The keys: the state of each, its pace against what is believed of its limit, and its calls. */
export function Keys() {
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] });
  if (!keys.data) return null;
  const { items } = keys.data;
  const open = items.filter(({ state, present }) => state === 'open' && present).length;
  // Those that need a person come first, then those that make calls.
  const shown = [...items].sort((a, b) => closedFirst(a, b) || b.calling - a.calling).slice(0, most);
  return (
    <Section
      id="keys"
      title="Keys"
      note={`${count(open)} of ${count(items.length)} make calls`}
      acts={items.length > most && <PageLink to="/keys">All keys</PageLink>}
    >
      {items.length === 0 ? (
        <NoKeys />
      ) : (
        <ul className="border-t border-line">
          {shown.map((key) => (
            <KeyLine key={key.name} of={key} />
          ))}
        </ul>
      )}
    </Section>
  );
}
