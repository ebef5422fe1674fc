/** A collector's stand-in: takes spans and figures by OTLP over HTTP, and keeps them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from './until.ts';

export type ToldSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  status: { code?: number };
  /** The name under which its process tells, and the process's id. */
  process: unknown;
  pid: unknown;
};

// biome-ignore lint/suspicious/noExplicitAny: the bodies of OTLP.
type Json = any;

export async function startCollector() {
  const spans: ToldSpan[] = [];
  let figures: Json[] = [];
  const texts: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      texts.push(text);
      const body: Json = JSON.parse(text);
      for (const { resource, scopeSpans } of body.resourceSpans ?? [])
        for (const { spans: told } of scopeSpans)
          spans.push(...told.map((span: Json) => read(span, resource)));
      for (const { scopeMetrics } of body.resourceMetrics ?? [])
        figures = scopeMetrics.flatMap(({ metrics }: Json) => metrics);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    /** The figures of the last message. */
    figures: () => figures,
    /** Everything that came, as it came. */
    text: () => texts.join('\n'),
    named: (name: string) => spans.filter((span) => span.name === name),
    /** Resolves when so many spans of this name have come. */
    has: (name: string, count: number) =>
      until(
        () => spans.filter((span) => span.name === name).length,
        (now) => now >= count,
      ),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function read(span: Json, resource: Json): ToldSpan {
  const attributes = valuesOf(span.attributes);
  const { 'service.name': process, 'process.pid': pid } = valuesOf(resource.attributes);
  return { ...span, attributes, links: span.links ?? [], status: span.status ?? {}, process, pid };
}

export function valuesOf(attributes: Json[] = []): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? Number(value.intValue ?? value.doubleValue ?? value.boolValue),
    ]),
  );
}
