/** Text that comes and goes in pieces, without holding all of it in memory. */
type Watch = <T>(read: () => Promise<T>) => Promise<T>;

/** `watch` sees each wait for the next piece. */
export async function* linesOf(
  body: ReadableStream<Uint8Array>,
  watch: Watch = (read) => read(),
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of piecesOf(body, watch)) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

/** Not every browser can iterate a stream. What is left unread when a reader stops is canceled. */
async function* piecesOf(
  body: ReadableStream<Uint8Array>,
  watch: Watch,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await watch(() => reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

type Piece = string | Uint8Array;

/** Pieces of about this size: an object a piece would be one packet each. */
const pieceLength = 65_536;

/** Calls for more only when what was there has left. `onError` is told what the source threw. */
export function streamOf(
  source: AsyncIterable<Piece> | Iterable<Piece>,
  onError: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const pieces = gathered(source);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
      } catch (error) {
        onError(error);
        controller.error(error);
      }
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}

async function* gathered(
  source: AsyncIterable<Piece> | Iterable<Piece>,
): AsyncGenerator<Piece, void, undefined> {
  let text = '';
  for await (const piece of source) {
    if (typeof piece === 'string') text += piece;
    if (typeof piece === 'string' && text.length < pieceLength) continue;
    if (text !== '') yield text;
    text = '';
    if (typeof piece !== 'string') yield piece;
  }
  if (text !== '') yield text;
}

/** Each as a line of JSON. */
export async function* jsonLines(
  items: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<string, void, undefined> {
  for await (const item of items) yield `${JSON.stringify(item)}\n`;
}
