import { Section } from '../../kit/card.tsx';
import { Empty } from '../../kit/empty.tsx';
import { count } from '../../kit/words.ts';
import { useLive } from '../../live/use-live.ts';
import { KeyLine } from '../keys/line.tsx';

/** Every key: its state, its pace against what is believed of its limit, and its calls. */
export function Keys() {
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] });
  if (!keys.data) return null;
  const { items } = keys.data;
  const open = items.filter(({ state, present }) => state === 'open' && present).length;
  // Those that need a person come first.
  const shown = [...items].sort((a, b) => Number(a.state === 'open') - Number(b.state === 'open'));
  return (
    <Section id="keys" title="Keys" note={`${count(open)} of ${count(items.length)} make calls`} bare>
      {items.length === 0 ? (
        <Empty title="No key is known yet">
          VOICE_API_KEYS names the keys of the voice service, such as <code>main=sk_...</code>.
        </Empty>
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
