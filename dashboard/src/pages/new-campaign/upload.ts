import { Problem, unreachable } from '../../api/ask.ts';
import { typeOf } from '../../api/list-type.ts';
import { readJson } from '../../kit/json.ts';

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
