import type { z } from 'zod';
import type { FieldIssue } from '../../base/errors.ts';

/** Says in plain words what is wrong with a field; a schema's own words come first. Never shows the value. */
type Raw = z.core.$ZodRawIssue;
type Issue = z.core.$ZodIssue;

/** Used as `safeParse(value, { error: sayIssue })`: the words follow the field's name. */
export function sayIssue(issue: Raw): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? missing : `must be ${kindOf(issue)}`;
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return `must ${bound(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most')}`;
    case 'invalid_value':
      return issue.input === undefined ? missing : oneOf(issue.values);
    case 'invalid_format':
      return formatOf(issue.format, issue as { prefix?: string });
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return noBranch(issue);
    case 'unrecognized_keys':
      return unknown + fieldsOf(issue);
    case 'invalid_key':
      return 'has a name that is not valid';
    default:
      return 'is not valid';
  }
}

/** One line for each wrong field: its path, then what is wrong with it. */
export function linesOf(issues: readonly FieldIssue[]): string[] {
  return issues.map(({ path, message }) => line(path, message));
}

/** Each field's path, and what is wrong with it. */
export function fieldIssues(issues: readonly Issue[], above: readonly PropertyKey[] = []): FieldIssue[] {
  return issues.flatMap((issue) => {
    const path = [...above, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      const last = issue.keys.at(-1);
      return issue.keys.map((key) => ({
        path: pathText([...path, key]),
        code: issue.code,
        message: key === last ? issue.message : unknown,
      }));
    }
    const nearest = issue.code === 'invalid_union' ? nearestOf(issue.errors) : undefined;
    if (nearest) return fieldIssues(nearest, path);
    return [{ path: pathText(path), code: issue.code, message: issue.message }];
  });
}

const missing = 'is missing';
const unknown = 'is not a field of this request';

function line(path: string, words: string): string {
  if (isPredicate.test(words)) return `${path || 'the request'} ${words}`;
  return path ? `${path}: ${words}` : words;
}

const isPredicate = /^(?:is|does|must|contains|has|names|cannot|may)\b/;

function pathText(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

const kinds: Record<string, string> = {
  string: 'text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  date: 'a date',
  null: 'null',
};

function kindOf({ expected, inst }: Extract<Raw, { code: 'invalid_type' }>): string {
  const { checks = [] } = (inst as z.core.$ZodType | undefined)?._zod.def ?? {};
  const isWhole = checks.some(({ _zod }) => (_zod.def as { format?: string }).format === 'safeint');
  return isWhole ? kinds.int! : (kinds[expected] ?? expected);
}

/** Lists the known fields, so that a misspelling shows. */
function fieldsOf({ inst }: Raw): string {
  const { shape } = ((inst as z.core.$ZodType | undefined)?._zod.def ?? {}) as { shape?: object };
  return shape ? `, which takes ${Object.keys(shape).join(', ')}` : '';
}

function tooSmall(issue: Extract<Raw, { code: 'too_small' }>): string {
  const { origin, minimum, inclusive } = issue;
  if (origin !== 'number' && Number(minimum) === 1) return 'must not be empty';
  return `must ${bound(issue, minimum, inclusive === false ? 'more than' : 'at least')}`;
}

function bound({ origin }: { origin: string }, most: unknown, relation: string): string {
  if (origin === 'string') return `have ${relation} ${most} characters`;
  return origin === 'array' || origin === 'set'
    ? `have ${relation} ${most} entries`
    : `be ${relation} ${most}`;
}

function oneOf(values: readonly unknown[]): string {
  return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`;
}

const formats: Record<string, string> = {
  url: 'must be a URL such as https://example.com/path',
  uuid: 'must be an id such as 0b7ff16c-2f37-4d6b-9a38-3c1f0b7d5a10',
  email: 'must be an email address',
  datetime: 'must be a time such as 2026-12-01T09:00:00Z',
  date: 'must be a date such as 2026-12-24',
};

function formatOf(format: string, { prefix }: { prefix?: string }): string {
  if (format === 'starts_with') return `must start with ${prefix}`;
  return formats[format] ?? 'does not have the right form';
}

function noBranch(issue: Extract<Raw, { code: 'invalid_union' }>): string {
  const { input, discriminator, options } = issue as { discriminator?: string; options?: unknown[] } & Raw;
  if (discriminator !== undefined && options) {
    const given = (input as Record<string, unknown> | undefined)?.[discriminator];
    return given === undefined ? missing : oneOf(options);
  }
  if (input === undefined) return missing;
  const words = [...new Set(issue.errors.flatMap((branch) => branch.map((each) => each.message)))];
  const choices = words.filter((each) => each.startsWith('must be '));
  if (choices.length === 0) return 'is not valid';
  return `must be ${choices.map((each) => each.slice('must be '.length)).join(' or ')}`;
}

/** The only branch of a union whose kind fits: its faults are the faults of the whole. */
function nearestOf(branches: readonly Issue[][]): Issue[] | undefined {
  const fitting = branches.filter(
    (issues) => !issues.some(({ code, path }) => path.length === 0 && /^invalid_(?:type|value)$/.test(code)),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}
