/** Follows the API's events as a program does, and keeps every byte. */

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
export type Told = { id: string; type: string; at: string; data: any };

export type Following = {
  headers: Headers;
  events: Told[];
  /** Everything that was received. */
  text(): string;
  /** Resolves with the events when they are enough; fails when the stream ends before. */
  until(isEnough: (events: Told[]) => boolean): Promise<Told[]>;
  close(): void;
};

export async function follow(
  url: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<Following> {
  const stop = new AbortController();
  const response = await fetch(url + path, { headers, signal: stop.signal });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const events: Told[] = [];
  let text = '';
  let ended = false;
  let wake: () => void = () => undefined;
  const listen = async () => {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) {
      const piece = decoder.decode(chunk, { stream: true });
      text += piece;
      const blocks = (rest + piece).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined) events.push(JSON.parse(data));
      }
      wake();
    }
  };
  void listen()
    .catch(() => undefined)
    .finally(() => {
      ended = true;
      wake();
    });
  return {
    headers: response.headers,
    events,
    text: () => text,
    async until(isEnough) {
      for (;;) {
        if (isEnough(events)) return [...events];
        if (ended) throw new Error(`the stream has ended after ${events.length} events`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    close: () => stop.abort(),
  };
}
