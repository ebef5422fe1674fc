/** An assistant: the official client of the Model Context Protocol, over HTTP. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Any = any;

export type Used = {
  isError: boolean;
  text: string;
  note: string;
  next?: string;
  /** What is quoted; of an act, with what is told of it. */
  answer: Any;
  told: Any;
  /** Of an error: what happened, and what to do. */
  says: string;
};

export type Assistant = {
  client: Client;
  /** The names of the tools that it is shown. */
  names(): Promise<string[]>;
  use(tool: string, given?: Record<string, unknown>): Promise<Used>;
};

/** `modern` speaks the protocol of 2026; otherwise that of 2025, with its handshake. */
export async function connectAssistant(url: string, token?: string, modern = false): Promise<Assistant> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const client = newClient(modern);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  return assistantOf(client);
}

export function newClient(modern = false): Client {
  const mode = modern ? { pin: '2026-07-28' } : ('legacy' as const);
  return new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
}

export function assistantOf(client: Client): Assistant {
  return {
    client,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    async use(tool, given = {}) {
      const used = await client.callTool({ name: tool, arguments: given });
      const [first] = used.content as { type: string; text: string }[];
      const told = used.structuredContent as Used['told'];
      return {
        isError: used.isError === true,
        text: first!.text,
        note: told?.note,
        next: told?.next,
        answer: told && 'acted' in told ? withQuoted(told) : told?.quoted,
        says: `${told?.quoted?.detail}. ${told?.remedy}`,
        told,
      };
    },
  };
}

/** A proposal as a person reads it: with what it quotes. */
function withQuoted({ proposal, quoted, ...told }: Any): Any {
  return proposal ? { ...told, proposal: { ...proposal, ...quoted } } : { ...told, answer: quoted };
}
