/** Text is read and sent in pieces, never held in memory as a whole. */
type Watch = <T>(read: () => Promise<T>) => Promise<T>;

/** `watch` is around each wait for the next piece. */
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

/** Not every browser can iterate a stream. When the reader stops, the rest is canceled. */
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

/** Text is gathered to about this length: an object a piece would be one packet each. */
const pieceLength = 65_536;
/** Nothing is held back for longer: a server gives up a list of which nothing comes. */
const longestHoldMs = 1_000;

/** Calls for more only when what was there has left. `onError` is told what the source threw. */
export function streamOf(
  source: AsyncIterable<Piece> | Iterable<Piece>,
  onError: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const pieces = iteratorOf(source);
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<Piece>> | undefined;

  /** What is there at once, or comes within a moment; null at the end. */
  const gather = async (): Promise<Piece | null> => {
    let text = '';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), longestHoldMs);
    });
    try {
      for (;;) {
        next ??= Promise.resolve(pieces.next());
        const come = text === '' ? await next : await Promise.race([next, late]);
        if (come === 'late') return text;
        if (come.done) return text === '' ? null : text;
        // Bytes leave as they are, after the text before them.
        if (typeof come.value !== 'string' && text !== '') return text;
        next = undefined;
        if (typeof come.value !== 'string') return come.value;
        text += come.value;
        if (text.length >= pieceLength) return text;
      }
    } finally {
      clearTimeout(timer);
    }
  };

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const piece = await gather();
        if (piece === null) controller.close();
        else controller.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece);
      } catch (error) {
        onError(error);
        controller.error(error);
      }
    },
    async cancel() {
      await pieces.return?.();
    },
  });
}

function iteratorOf(source: AsyncIterable<Piece> | Iterable<Piece>): AsyncIterator<Piece> | Iterator<Piece> {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
}

/** Each as a line of JSON. */
export async function* jsonLines(
  items: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<string, void, undefined> {
  for await (const item of items) yield `${JSON.stringify(item)}\n`;
}
