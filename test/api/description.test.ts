import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientTypes } from '../../scripts/client-types.ts';
import { describe as describing } from '../../src/api/describe/describe.ts';
import { routes } from '../../src/api/routes.ts';
import { catalogue } from '../../src/base/error-catalogue.ts';
import { eventTypes } from '../../src/ledger/events/events.ts';
import { description, faultsOf, operations } from '../support/description.ts';

describe('the description', () => {
  it('names each operation once, with a tag that it explains, a summary and what it needs', () => {
    const ids = operations.map(({ facts }) => facts.operationId);
    expect([...new Set(ids)]).toEqual(ids);
    const tags = description.tags.map(({ name }: { name: string }) => name);
    for (const { facts, method, path } of operations) {
      const where = `${method} ${path}`;
      expect(facts.operationId, where).toMatch(/^[a-z]+[A-Z]?\w*$/);
      expect(tags, where).toContain(facts.tags[0]);
      expect(facts.summary, where).toMatch(/^[A-Z].*\.$/);
      expect(facts.security !== undefined || facts['x-role'] !== undefined, where).toBe(true);
    }
    expect(operations).toHaveLength(routes.length);
  });

  it('is made in a step for each operation, so that nobody waits for all of it', () => {
    expect([...describing(routes)]).toHaveLength(routes.length);
  });

  it('has an example for each body and each answer, and every one is valid', () => {
    const wrong: string[] = [];
    for (const { method, path, facts } of operations) {
      const at = ['paths', path, method.toLowerCase()];
      const parts = [
        ...contentsOf(facts.requestBody, [...at, 'requestBody']),
        ...Object.entries(facts.responses).flatMap(([status, answer]) =>
          contentsOf(answer as Described, [...at, 'responses', status]),
        ),
      ];
      for (const { steps, content } of parts) {
        if (content.example === undefined) wrong.push(`${steps.join(' ')} has no example`);
        wrong.push(
          ...faultsOf(content.example, ...steps, 'schema').map((why) => `${steps.join(' ')}: ${why}`),
        );
      }
    }
    expect(wrong).toEqual([]);
  });

  it('describes no answer of JSON as a text, its own neither', () => {
    const texts = operations.flatMap(({ path, facts }) =>
      Object.values<Described>(facts.responses).flatMap(({ content }) =>
        content?.['application/json']?.schema.type === 'string' ? [path] : [],
      ),
    );
    expect(texts).toEqual([]);
    const own = description.paths['/api/openapi.json'].get.responses[200].content['application/json'];
    expect(own.schema).toEqual({ type: 'object' });
  });

  it('types the people and the choices of a new campaign', () => {
    const { schema } = description.paths['/api/campaigns'].post.requestBody.content['application/json'];
    const { recipients, retry_when, on_unknown, name } = schema.properties;
    expect(recipients.items).toMatchObject({ type: 'object', required: ['phone'] });
    expect(retry_when.enum).toEqual(['same', 'spread']);
    expect(on_unknown.enum).toEqual(['hold', 'redial']);
    const rule = new RegExp(name.pattern);
    expect(['march 2026', 'März 😀', 'a/b'].map((each) => rule.test(each))).toEqual([true, true, false]);
  });

  it('has patterns that mean the same with and without Unicode, as generated clients read them', () => {
    const found = JSON.stringify(description).matchAll(/"pattern":("(?:[^"\\\\]|\\\\.)*")/g);
    const patterns = [...new Set([...found].map(([, text]) => JSON.parse(text!) as string))];
    expect(patterns.length).toBeGreaterThan(5);
    const texts = [
      'spring',
      'März',
      '😀',
      'a\u0007b',
      'p',
      '{Cc}',
      'key:value',
      '12',
      '2026-03-01T09:00:00Z',
    ];
    for (const pattern of patterns) {
      const [plain, unicode] = [new RegExp(pattern), new RegExp(pattern, 'u')];
      const differ = texts.filter((each) => plain.test(each) !== unicode.test(each));
      expect([pattern, differ, /\\p\{/.test(pattern)]).toEqual([pattern, [], false]);
    }
  });

  it('has a shape for each type of event, and tells them apart by type', () => {
    const types = [...eventTypes, 'webhook.test'];
    expect(Object.keys(description.webhooks)).toEqual(types);
    const variants = description.components.schemas.Event.oneOf.map(({ $ref }: { $ref: string }) => $ref);
    expect(variants).toContain('#/components/schemas/EventRecipientOptedOut');
    const schemas = description.components.schemas;
    const told = variants.map((ref: string) => schemas[ref.split('/').at(-1)!].properties.type.const);
    expect(told).toEqual(types);
    const event = { id: 'evt_1', at: '2026-03-01T09:00:00Z', data: { webhook: 'w' } };
    const faults = (type: string) => faultsOf({ ...event, type }, 'components', 'schemas', 'Event');
    expect(faults('webhook.test')).toEqual([]);
    expect(faults('recipient.done')).not.toEqual([]);
    expect(faults('recipient.gone')).not.toEqual([]);
  });

  it('has examples of what each field means', () => {
    const states: string[] = [];
    const walk = (value: unknown, at: string) => {
      if (typeof value !== 'object' || value === null) return;
      for (const [field, part] of Object.entries(value)) {
        if (field === 'state' && typeof part === 'string') states.push(`${at} ${part}`);
        walk(part, at);
      }
    };
    for (const { facts } of operations) {
      walk(Object.values(facts.requestBody?.content ?? {}), facts.operationId);
      walk(
        Object.values<Described>(facts.responses).flatMap(({ content }) =>
          Object.values(content ?? {}).map(({ example }) => example),
        ),
        facts.operationId,
      );
    }
    // Of a person of the US, and of a list's column.
    const places = ['testPolicy TX', 'previewImport State'];
    expect(states.filter((each) => / (TX|State)$/.test(each))).toEqual(expect.arrayContaining(places));
    expect(states.filter((each) => / (TX|text|State)$/.test(each) && !places.includes(each))).toEqual([]);
  });

  it('makes types by which a switch over events is complete, or does not compile', () => {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-types-'));
    try {
      const cases = [...eventTypes, 'webhook.test'].map((type) => `    case '${type}': return event.data;`);
      const switchOf = (lines: string[]) => `import type { Event } from './api.ts';
export function dataOf(event: Event): object {
  switch (event.type) {
${lines.join('\n')}
    default: return event satisfies never;
  }
}
`;
      writeFileSync(join(folder, 'api.ts'), clientTypes(description));
      writeFileSync(join(folder, 'whole.ts'), switchOf(cases));
      writeFileSync(join(folder, 'part.ts'), switchOf(cases.slice(1)));
      const tsc = join(
        dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
        'bin',
        'tsc',
      );
      const flags = [
        '--strict',
        '--noEmit',
        '--skipLibCheck',
        '--allowImportingTsExtensions',
        '--module',
        'esnext',
      ];
      const compile = (file: string) => {
        const args = [tsc, ...flags, '--moduleResolution', 'bundler', '--types', '', join(folder, file)];
        return spawnSync(process.execPath, args, { encoding: 'utf8', cwd: folder }).stdout;
      };
      expect(compile('whole.ts')).toBe('');
      expect(compile('part.ts')).toMatch(/part\.ts\(\d+,\d+\): error TS1360: .*never/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('gives every failure as a problem with codes of the catalogue', () => {
    for (const { facts, path } of operations) {
      for (const [status, { $ref }] of Object.entries<{ $ref?: string }>(facts.responses)) {
        if (Number(status) < 400) continue;
        const codes = $ref!.split('/').at(-1)!.split('.') as (keyof typeof catalogue)[];
        for (const code of codes) {
          expect(catalogue[code].status, `${path} ${code}`).toBe(Number(status));
          const { value } = description.components.examples[code];
          expect(faultsOf(value, 'components', 'schemas', 'Problem')).toEqual([]);
        }
      }
    }
  });
});

type Described = { content?: Record<string, { example?: unknown; schema: { type?: unknown } }> };

function contentsOf(part: Described | undefined, steps: string[]) {
  return Object.entries(part?.content ?? {}).map(([type, content]) => ({
    steps: [...steps, 'content', type],
    content,
  }));
}
