import { Problem, unreachable } from '../../api/ask.ts';

/** Sends a file as it is, streamed by the browser, and tells how far it is: fetch cannot tell that. */
export type Sending = { headers?: Record<string, string>; signal?: AbortSignal; onSent?(part: number): void };

export function upload<T>(
  address: string,
  file: File,
  { headers = {}, signal, onSent }: Sending = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', address);
    request.setRequestHeader('content-type', typeOf(file.name));
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onSent?.(total > 0 ? loaded / total : 1);
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(new DOMException('The sending was stopped', 'AbortError'));
    request.onload = () => {
      const body = bodyOf(request.responseText);
      if (request.status < 300) resolve(body as T);
      else reject(new Problem(body as object, request.status, null));
    };
    signal?.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const types: Record<string, string> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
};

/** The API tells the forms apart by their type; anything else is read as CSV. */
export function typeOf(name: string): string {
  return types[name.split('.').at(-1)!.toLowerCase()] ?? 'text/csv';
}
