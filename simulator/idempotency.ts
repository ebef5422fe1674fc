/** Idempotency keys: a create under a key that is known gets the first one's answer, for as long as the key is held. */
import { json, type Reply } from './reply.ts';

type Done = { reply: Reply; call: string | null };
type Doable = { phone: string | null; call: string | null; serve(): Done };
type Refused = { refused: Reply; phone?: string };

/** What came first under a key; it is not done until it is carried out. */
export type FirstUnderKey = { body: string; until: number; phone: string | null; done: Done | null };

/** `place`: the method and path to which a key belongs, and the key. Failures are not remembered. */
export function prepareOnce<R extends Refused, D extends Doable>(
  firsts: Map<string, FirstUnderKey>,
  place: string,
  { body, now, holdsMs }: { body: string; now: number; holdsMs: number },
  prepare: () => R | D,
): R | D | Refused | Doable {
  const known = firsts.get(place);
  if (known && known.until > now) {
    const { phone, done } = known;
    const named = phone === null ? {} : { phone };
    if (known.body !== body)
      return { ...named, refused: refuse(422, 'idempotency_key_reuse', 'Another body came under this key') };
    if (done === null)
      return { ...named, refused: refuse(409, 'idempotency_key_conflict', 'The first one is in progress') };
    return { phone, call: done.call, serve: () => done };
  }
  const ready = prepare();
  if ('refused' in ready) return ready;
  const first: FirstUnderKey = { body, until: now + holdsMs, phone: ready.phone, done: null };
  firsts.set(place, first);
  return {
    ...ready,
    serve() {
      first.done = ready.serve();
      return first.done;
    },
  };
}

const refuse = (status: number, reason: string, message: string) => json(status, { status, reason, message });
