import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Describe } from '../base/config/config.ts';
import { readNamedFile } from '../base/disk-errors.ts';
import { CarillonError } from '../base/errors.ts';
import { description, type ServiceDescription } from './description.ts';
import { describeProfile, isFirstForm, readProfile } from './profile.ts';
import { placesIn, placesOf } from './template.ts';
import { freeze, isObject } from './values.ts';

/** The services that ship, and a profile of the owner's laid over one of them. Read once, validated whole, frozen. */
export type LoadedService = Readonly<{ name: string; description: ServiceDescription }>;

const folder = fileURLToPath(new URL('./services/', import.meta.url));
const defaultService = 'standard';

export function serviceNames(): string[] {
  const names = readdirSync(folder).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -5)] : []));
  return names.sort(
    (a, b) => Number(b === defaultService) - Number(a === defaultService) || a.localeCompare(b),
  );
}

const shipped = new Map<string, ServiceDescription>();

/** Describes a service that ships. */
export function describeService(name: string): ServiceDescription {
  let found = shipped.get(name);
  if (!found) {
    if (!serviceNames().includes(name)) {
      throw new CarillonError(
        'config-invalid',
        `VOICE_SERVICE is not a service that Carillon knows: ${name}`,
        { remedy: `Set it to one of ${serviceNames().join(', ')}, or describe your own in VOICE_PROFILE.` },
      );
    }
    const read: unknown = JSON.parse(readFileSync(`${folder}${name}.json`, 'utf8'));
    found = validate(read, (faults) => new Error(`services/${name}.json: ${faults.join('; ')}`));
    shipped.set(name, found);
  }
  return found;
}

export function standard(): ServiceDescription {
  return describeService(defaultService);
}

/** The service that the settings name, with the profile laid over it. */
export function loadService(name: string | undefined, profilePath: string | undefined): LoadedService {
  if (profilePath === undefined) {
    const named = name ?? defaultService;
    return { name: named, description: describeService(named) };
  }
  const value = readFile(profilePath);
  const fault = (faults: readonly string[]) => wrong(profilePath, faults);
  if (isFirstForm(value)) {
    if ((name ?? defaultService) !== defaultService) {
      throw wrong(profilePath, [
        `this form of a profile is of the standard interface only: to change ${name}, write {"extends": "${name}", ...}`,
      ]);
    }
    const read = readProfile(value);
    if ('fault' in read) throw wrong(profilePath, [read.fault]);
    const own = describeProfile(standard(), read.profile);
    return { name: defaultService, description: validate(own, fault) };
  }
  const { extends: base = name ?? defaultService, ...own } = value as Record<string, unknown>;
  if (typeof base !== 'string') throw fault(['extends must be the name of a service']);
  if (name !== undefined && base !== name) throw fault([`it extends ${base}, and VOICE_SERVICE is ${name}`]);
  const over = serviceNames().includes(base) ? describeService(base) : null;
  if (!over) throw fault([`extends names no service: ${base}; there are ${serviceNames().join(', ')}`]);
  return { name: base, description: validate(lay(over, own), fault) };
}

/**
 * For how long a create may be sent again with its idempotency key. Clocks differ, and a killed process's kernel may
 * deliver a request for minutes, so a part of the promise is left.
 */
export function repeatSeconds({ create }: ServiceDescription): number | null {
  const { key_holds_seconds: holds } = create;
  return holds === undefined ? null : holds - Math.min(3_600, Math.max(180, holds / 10));
}

/** The service's own values for settings that are left out. */
export const settingsOf: Describe = (name, profilePath) => {
  // Most commands need none of it: the standard interface has no values of its own.
  if (profilePath === undefined && (name ?? defaultService) === defaultService) return {};
  const { base_url, timeout_ms, queue_seconds, limits, get } = loadService(name, profilePath).description;
  return {
    baseUrl: base_url,
    tellsCost: Boolean(get.fields.cost),
    ...(timeout_ms === undefined ? {} : { timeoutMs: timeout_ms }),
    ...(queue_seconds === undefined ? {} : { queueMs: queue_seconds * 1_000 }),
    ...(limits?.queues_more && limits.calls ? { maxCalls: limits.calls } : {}),
  };
};

/** Objects are laid over each other; lists and values replace; null takes a part away. */
function lay(under: unknown, over: unknown, keepsNull = true): unknown {
  if (!isObject(over)) return over;
  const laid: Record<string, unknown> = isObject(under) ? { ...under } : {};
  for (const [name, part] of Object.entries(over)) {
    // A whole request is null if the service has none; a setting is null if it is empty.
    if (part === null && !keepsNull) delete laid[name];
    else laid[name] = lay(laid[name], part, name === 'settings');
  }
  return laid;
}

/** One line for each fault, with its place. */
function validate(value: unknown, fault: (faults: string[]) => Error): ServiceDescription {
  const parsed = description.safeParse(value);
  if (!parsed.success) throw fault(parsed.error.issues.map(tell));
  const unknown = findUnknownPlaces(parsed.data);
  if (unknown.length > 0) throw fault(unknown);
  const { create } = parsed.data;
  const named = placesIn([create.headers, create.body]).some(({ name }) => name === 'idempotency_key');
  if (named !== (create.key_holds_seconds !== undefined))
    throw fault(['create: {idempotency_key} and key_holds_seconds go together']);
  return freeze(parsed.data);
}

function findUnknownPlaces(service: ServiceDescription): string[] {
  const settings = Object.keys(service.settings ?? {}).map((name) => `settings.${name}`);
  return Object.entries(placesOf).flatMap(([part, known]) => {
    const form = (service as Record<string, unknown>)[part] as Record<string, unknown> | null | undefined;
    if (!form) return [];
    const named = ['path', 'query', 'headers', 'body', 'needs'].flatMap((each) =>
      placesIn(form[each], [part, each]),
    );
    return named
      .filter(({ name }) => !known.includes(name) && !settings.includes(name))
      .map(
        ({ name, path }) =>
          `${path.join('.')}: {${name}} is not a place; there are ${[...known, ...settings].join(', ')}`,
      );
  });
}

function tell(issue: z.core.$ZodIssue): string {
  const place = issue.path.join('.');
  if (issue.code === 'unrecognized_keys')
    return `${place ? `${place}.` : ''}${issue.keys[0]} is not a field of a description`;
  // The fault is inside one of several forms: the first of them that the value resembles says most about it.
  if (issue.code === 'invalid_union') {
    const inner = issue.errors.flat().find((each) => each.path.length > 0);
    if (inner) return tell({ ...inner, path: [...issue.path, ...inner.path] } as z.core.$ZodIssue);
  }
  return `${place || 'the file'}: ${issue.message}`;
}

function readFile(path: string): unknown {
  let text: string;
  try {
    text = readNamedFile(path);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw wrong(path, [
      missing ? 'the file does not exist' : `the file cannot be read: ${(error as Error).message}`,
    ]);
  }
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw wrong(path, [`the file is not JSON: ${(error as Error).message.replace(/\s+/g, ' ')}`]);
  }
  return value;
}

function wrong(path: string, faults: readonly string[]): CarillonError {
  return new CarillonError('config-invalid', `VOICE_PROFILE ${path}: ${faults.slice(0, 5).join('; ')}`, {
    remedy: 'Correct the path or the file; `carillon service show --schema` has every field.',
  });
}

/** The schema for editors, and for people who write a description in another program. */
export function descriptionSchema(): Record<string, unknown> {
  return z.toJSONSchema(description, { unrepresentable: 'any', io: 'input' }) as Record<string, unknown>;
}
