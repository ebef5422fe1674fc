import type { Key } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Empty, Read } from '../../kit/empty.tsx';
import { PageHead } from '../../kit/page.tsx';
import { count, counted } from '../../kit/words.ts';
import { KeyHeads, KeyNow } from './doing.tsx';
import { closedFirst, KeyLine } from './line.tsx';
import { CallerNumbers } from './numbers.tsx';
import { KeyTrouble } from './trouble.tsx';

/** Every key of the voice service: whether it works, how much of its limit is used, and what Carillon does about it. */
export function KeysPage() {
  const keys = useLive('GET /api/keys', {}, { everyMs: 3_000, on: ['key.'] });
  return (
    <>
      <PageHead title="Keys" />
      <Read of={keys} lines={6}>
        {({ items }) => (items.length === 0 ? <NoKeys /> : <Known keys={items} />)}
      </Read>
    </>
  );
}

function NoKeys() {
  return (
    <Empty title="No key is known yet">
      VOICE_API_KEYS names the keys of the voice service, such as <code>main=sk_...</code>. Carillon learns
      the limit of each by itself.
    </Empty>
  );
}

function Known({ keys }: { keys: readonly Key[] }) {
  const open = keys.filter(({ state, present }) => state === 'open' && present).length;
  const calling = keys.reduce((sum, key) => sum + key.calling, 0);
  return (
    <>
      <p className="mb-5 text-xl font-semibold">
        {openWords(open, keys)}; {counted(calling, 'call')} in progress.
      </p>
      <KeyHeads />
      <ul>
        {[...keys].sort(closedFirst).map((key) => (
          <KeyLine key={key.name} of={key} wide>
            <KeyNow of={key} />
            <div className="col-span-full empty:hidden">
              <KeyTrouble of={key} />
            </div>
          </KeyLine>
        ))}
      </ul>
      <p className="mt-4 mb-6 max-w-prose text-sm text-quiet">
        A key closes by itself when the service refuses it, fails, or has no credit, and opens again by
        itself: nobody loses an attempt. “Check it” asks the service now, and calls nobody.
      </p>
      <CallerNumbers />
    </>
  );
}

function openWords(open: number, keys: readonly Key[]): string {
  if (open < keys.length) return `${count(open)} of ${counted(keys.length, 'key')} may make calls`;
  return keys.length === 1
    ? `The key ${keys[0]!.name} may make calls`
    : `All ${count(open)} keys may make calls`;
}
