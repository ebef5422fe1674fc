import { areSpansMade, noSpan, type OpenSpan, type SpanOptions, spanHere } from '../base/spans.ts';
import type { Exchanged } from './exchange.ts';

/**
 * A request as OpenTelemetry's conventions for HTTP clients tell it. An address may hold a call's id, a phone or a secret,
 * so only its form is told.
 */
type RequestTold = Readonly<{
  method: string;
  origin: string;
  /** The path with its places unfilled; null where even its form is private. */
  template: string | null;
}>;

/** `within` is the span that asks; without one, it is a part of whatever the process does. */
export function beginRequest({ method, origin, template }: RequestTold, within?: OpenSpan): OpenSpan {
  if (within ? within === noSpan : !areSpansMade()) return noSpan;
  const { hostname, port, protocol } = new URL(origin);
  const facts = {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    'url.full': origin + (template ?? '/REDACTED').replace(/\{[^}]*\}/g, 'REDACTED'),
    ...(template === null ? {} : { 'url.template': template }),
  };
  const name = template === null ? method : `${method} ${template}`;
  const options: SpanOptions = { kind: 'client', facts };
  return within ? within.begin(name, options) : spanHere(name, options);
}

/** `left` is false if certainly nothing was sent. */
export function endRequest(span: OpenSpan, exchanged: Exchanged): void {
  if (exchanged.kind === 'answer') {
    const { status, cut } = exchanged;
    span.tell({ 'http.response.status_code': status });
    if (status >= 400) span.fail(String(status));
    else if (cut !== null) span.fail('cut');
  } else span.fail(exchanged.left ? 'lost' : 'unsent');
  span.end();
}
