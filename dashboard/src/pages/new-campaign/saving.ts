import { ask, type Import, Problem, typeOf, unreachable } from '../../api/ask.ts';
import { readJson } from '../../kit/words.ts';
import { change, type Draft, draftNow, type SavedDraft } from './draft.ts';
import { columnsOf, draftKey, orderOf } from './order.ts';

/** Sends a file as it is, streamed by the browser, and tells how far it is: fetch cannot tell that. */
export type Sending = { headers?: Record<string, string>; signal?: AbortSignal; onSent?(part: number): void };

function upload<T>(address: string, file: File, { headers = {}, signal, onSent }: Sending = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', address);
    request.setRequestHeader('content-type', typeOf(file.name));
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onSent?.(total > 0 ? loaded / total : 1);
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(new DOMException('The sending was stopped', 'AbortError'));
    request.onload = () => {
      const body = readJson(request.responseText) ?? {};
      if (request.status < 300) resolve(body as T);
      else reject(new Problem(body as object, request.status, null));
    };
    signal?.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

/** Lists that the server has: it keeps them for a while. */
const sentLists = new Set<string>();

/** Sends a list the first time only: after that its id will do, as long as the server has it. */
export async function uploadOnce<T>(
  id: string,
  address: string,
  file: File,
  sending: Sending = {},
): Promise<T> {
  const named = `${address}${address.includes('?') ? '&' : '?'}list=${id}`;
  if (sentLists.has(id)) {
    try {
      return await upload<T>(named, new File([], file.name), { ...sending, onSent: () => undefined });
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'list-gone')) throw error;
      sentLists.delete(id);
    }
  }
  try {
    return await upload<T>(named, file, sending);
  } finally {
    // A refusal of the columns comes after the list was taken; if it was not, the next answer says so.
    sentLists.add(id);
  }
}

/**
 * Brings the draft into the ledger: the campaign, then its list. Each step that was taken is remembered, so that a reload
 * continues there. Nobody is called by it.
 */
type Tell = (words: string, part: number) => void;

export async function saveDraft(draft: Draft, file: File, tell: Tell): Promise<Import> {
  const saved = await campaignFor(draft);
  const importId = saved.importId ?? (await sendList(draft, saved, file, tell));
  return followImport(importId, tell);
}

async function campaignFor(draft: Draft): Promise<SavedDraft> {
  const key = draftKey(draft);
  const standing = await standingOf(draftNow().saved);
  if (standing?.key === key) return standing;
  // Made again from the start, as other hours judge its list anew.
  if (standing) await ask('DELETE /api/campaigns/{id}', { id: standing.id });
  change({ saved: null });
  const name = draft.name.trim();
  const made = await ask('POST /api/campaigns', { body: { ...orderOf(draft), name } });
  return keep({ id: made.id, name, importId: null, key });
}

/** Null when it is gone. One that was started is left as it is. */
async function standingOf(saved: SavedDraft | null): Promise<SavedDraft | null> {
  if (!saved) return null;
  const found = await ask('GET /api/campaigns/{id}', { id: saved.id }).catch((error) => {
    if (error instanceof Problem && error.code === 'campaign-unknown') return null;
    throw error;
  });
  if (!found || found.state === 'draft') return found && saved;
  throw problemOf(`The campaign ${found.name} is ${found.state} already.`, 'Start over to make another.');
}

const problemOf = (detail: string, remedy: string) => new Problem({ detail, remedy }, 0, null);

async function sendList(draft: Draft, saved: SavedDraft, file: File, tell: Tell): Promise<string> {
  const address = `/api/campaigns/${saved.id}/recipients?${new URLSearchParams(columnsOf(draft))}`;
  const begun = await uploadOnce<Import>(draft.file!.id, address, file, {
    headers: { prefer: 'respond-async' },
    onSent: (part) => tell('The list is being sent', part),
  });
  keep({ ...saved, importId: begun.id });
  return begun.id;
}

const pollMs = 400;

async function followImport(id: string, tell: Tell): Promise<Import> {
  for (;;) {
    const found = await ask('GET /api/imports/{id}', { id });
    if (found.state === 'done') return found;
    if (found.state === 'failed') throw failed(found);
    const words =
      found.state === 'waiting' ? 'It waits for a background worker' : 'The people are being stored';
    tell(words, found.bytes > 0 ? found.bytes_read / found.bytes : 0);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** The same list can be sent again. */
function failed({ reason }: Import): Problem {
  const { saved } = draftNow();
  if (saved) keep({ ...saved, importId: null });
  return problemOf(
    `The list was not stored: ${reason ?? 'nobody knows why'}`,
    'Nothing of it was kept. Try again.',
  );
}

function keep(saved: SavedDraft): SavedDraft {
  change({ saved });
  return saved;
}
