/** The requests that really arrived, one entry each: tests check against it. It never holds secrets. */
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { unwritable } from '../src/base/disk-errors.ts';

export type Answer = number | 'reset' | 'hang' | 'gone' | 'pending';

export type JournalEntry = {
  seq: number;
  /** Milliseconds since the epoch, when the request arrived. */
  at: number;
  /** The same moment on the monotonic clock. */
  mono: number;
  method: string;
  path: string;
  /** The key's index; null when the key was not accepted. */
  key: number | null;
  answer: Answer;
  phone: string | null;
  call: string | null;
  fault: string | null;
  /**
   * Everything that a create sent, if it tells the agent more than whom to call and from where. Others need no space.
   */
  body: Record<string, unknown> | null;
  /** The attempt's id, if a create carries one. */
  stamp?: string;
  /** The span that sent it, if a header names one. */
  traceparent?: string;
};

export type JournalFilter = { since?: number; after?: number; method?: string; path?: string };

export type Journal = {
  /** Returns the entry's number, for `note` and `answer`. */
  arrive(at: number, mono: number, method: string, path: string): number;
  note(
    seq: number,
    what: Partial<Pick<JournalEntry, 'key' | 'phone' | 'call' | 'fault' | 'body' | 'stamp' | 'traceparent'>>,
  ): void;
  answer(seq: number, answer: Answer): void;
  entries(filter?: JournalFilter): IterableIterator<JournalEntry>;
  size(): number;
};

const chunkSize = 8192;
const codes = { pending: 0, reset: 1, hang: 2, gone: 3 } as const;
const words = ['pending', 'reset', 'hang', 'gone'] as const;

/** Columns instead of objects: a million entries stay small enough to keep. */
type Chunk = {
  at: Float64Array;
  mono: Float64Array;
  key: Int32Array;
  answer: Uint16Array;
  method: string[];
  path: string[];
  phone: (string | null)[];
  call: (string | null)[];
  fault: (string | null)[];
  body: Map<number, Record<string, unknown>>;
  stamp: Map<number, string>;
  traceparent: Map<number, string>;
};

export function createJournal(limit: number, append?: (line: string) => void): Journal {
  const chunks: Chunk[] = [];
  let dropped = 0;
  let next = 0;
  const chunkOf = (seq: number) => chunks[Math.floor(seq / chunkSize) - dropped];
  const read = (chunk: Chunk, seq: number): JournalEntry => {
    const i = seq % chunkSize;
    const code = chunk.answer[i]!;
    return {
      seq,
      at: chunk.at[i]!,
      mono: chunk.mono[i]!,
      method: chunk.method[i]!,
      path: pathOf(chunk, i),
      key: chunk.key[i]! < 0 ? null : chunk.key[i]!,
      answer: words[code] ?? code,
      phone: chunk.phone[i]!,
      call: chunk.call[i]!,
      fault: chunk.fault[i]!,
      body: chunk.body.get(i) ?? null,
      ...(chunk.stamp.has(i) && { stamp: chunk.stamp.get(i) as string }),
      ...(chunk.traceparent.has(i) && { traceparent: chunk.traceparent.get(i) as string }),
    };
  };
  return {
    arrive(at, mono, method, path) {
      const seq = next++;
      const i = seq % chunkSize;
      if (i === 0) {
        chunks.push(createChunk());
        if ((chunks.length - 2) * chunkSize >= limit) {
          chunks.shift();
          dropped += 1;
        }
      }
      const chunk = chunkOf(seq)!;
      chunk.at[i] = at;
      chunk.mono[i] = mono;
      chunk.key[i] = -1;
      chunk.method.push(method);
      // The parser makes a new string for every path. The most common one is kept only once.
      chunk.path.push(path === '/v1/call' ? '/v1/call' : path);
      chunk.phone.push(null);
      chunk.call.push(null);
      chunk.fault.push(null);
      return seq;
    },
    note(seq, what) {
      const chunk = chunkOf(seq);
      if (!chunk) return;
      const i = seq % chunkSize;
      if (what.key !== undefined) chunk.key[i] = what.key ?? -1;
      if (what.phone !== undefined) chunk.phone[i] = what.phone;
      if (what.fault !== undefined) chunk.fault[i] = what.fault;
      if (what.body) chunk.body.set(i, what.body);
      if (what.stamp !== undefined) chunk.stamp.set(i, what.stamp);
      if (what.traceparent !== undefined) chunk.traceparent.set(i, what.traceparent);
      if (what.call !== undefined) {
        chunk.call[i] = what.call;
        if (chunk.path[i] === `/v1/call/${what.call}`) chunk.path[i] = '';
      }
    },
    answer(seq, answer) {
      const chunk = chunkOf(seq);
      if (!chunk) return;
      chunk.answer[seq % chunkSize] = typeof answer === 'number' ? answer : codes[answer];
      append?.(`${JSON.stringify(read(chunk, seq))}\n`);
    },
    *entries(filter = {}) {
      const { since = 0, after = -1, method, path } = filter;
      for (let seq = Math.max(dropped * chunkSize, after + 1); seq < next; seq++) {
        const chunk = chunkOf(seq);
        // The oldest entries may be dropped during a slow read.
        if (!chunk) continue;
        const i = seq % chunkSize;
        if (chunk.at[i]! < since) continue;
        if (method !== undefined && chunk.method[i] !== method) continue;
        if (path !== undefined && !pathOf(chunk, i).startsWith(path)) continue;
        yield read(chunk, seq);
      }
    },
    size: () => next - dropped * chunkSize,
  };
}

/** A call's own path is not kept: it follows from the call's id. */
function pathOf(chunk: Chunk, i: number): string {
  return chunk.path[i] || `/v1/call/${chunk.call[i]}`;
}

function createChunk(): Chunk {
  return {
    at: new Float64Array(chunkSize),
    mono: new Float64Array(chunkSize),
    key: new Int32Array(chunkSize),
    answer: new Uint16Array(chunkSize),
    method: [],
    path: [],
    phone: [],
    call: [],
    fault: [],
    body: new Map(),
    stamp: new Map(),
    traceparent: new Map(),
  };
}

/** The journal's file: lines are appended in the order of the answers and flushed on close. */
type Appender = { append(line: string): void; close(): Promise<void> };

export async function openAppender(path: string): Promise<Appender> {
  try {
    await (await open(path, 'a')).close();
  } catch (error) {
    throw unwritable(`The journal ${path}`, error);
  }
  const stream = createWriteStream(path, { flags: 'a' });
  // A full disk must not end the service. Lines the file misses are still in the journal in memory.
  stream.on('error', () => {});
  return {
    append: (line) => void stream.write(line),
    close: () =>
      new Promise((resolve) => {
        if (stream.destroyed) return resolve();
        stream.once('close', resolve);
        stream.end();
      }),
  };
}
