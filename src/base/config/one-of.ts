import { wrong } from './keys.ts';

/** Settings that take one of a few values. */
export function oneOf<const T extends string>(
  name: string,
  text: string | undefined,
  wanted: readonly T[],
): T | undefined {
  if (text === undefined) return undefined;
  const found = wanted.find((value) => value === text);
  if (!found) throw wrong(name, `is not one of ${wanted.join(', ')}: ${text}`);
  return found;
}

const switches = ['1', '0', 'true', 'false', 'yes', 'no', 'on', 'off'] as const;

export function isOn(name: string, text: string | undefined): boolean {
  return ['1', 'true', 'yes', 'on'].includes(oneOf(name, text?.toLowerCase(), switches) ?? '0');
}
