import { Empty, Loading, Trouble } from '../../kit/empty.tsx';
import { PageHead } from '../../kit/page.tsx';
import { count, counted } from '../../kit/words.ts';
import { useLive } from '../../live/use-live.ts';
import { KeyHeads, KeyNow } from './doing.tsx';
import { closedFirst, KeyLine } from './line.tsx';
import { KeyTrouble } from './trouble.tsx';

/** Every key of the voice service: whether it works, how much of its limit is used, and what Carillon does about it. */
export function KeysPage() {
  const keys = useLive('GET /api/keys', {}, { everyMs: 3_000, on: ['key.'] });
  const items = keys.data?.items ?? [];
  const open = items.filter(({ state, present }) => state === 'open' && present).length;
  const calling = items.reduce((sum, key) => sum + key.calling, 0);
  return (
    <>
      <PageHead
        title="Keys"
        state={
          items.length > 0 && (
            <span className="text-sm text-quiet max-sm:hidden">
              {count(open)} of {counted(items.length, 'key')} may create calls, {counted(calling, 'call')} at
              once
            </span>
          )
        }
      />
      {keys.error && !keys.data && <Trouble problem={keys.error} retry={() => void keys.refetch()} />}
      {keys.isPending && !keys.error && <Loading lines={6} />}
      {keys.data && items.length === 0 && (
        <Empty title="No key is known yet">
          VOICE_API_KEYS names the keys of the voice service, such as <code>main=sk_...</code>. Carillon
          learns the limit of each by itself.
        </Empty>
      )}
      {items.length > 0 && <KeyHeads />}
      <ul>
        {[...items].sort(closedFirst).map((key) => (
          <KeyLine key={key.name} of={key} wide>
            <KeyNow of={key} />
            <div className="col-span-full empty:hidden">
              <KeyTrouble of={key} />
            </div>
          </KeyLine>
        ))}
      </ul>
    </>
  );
}
