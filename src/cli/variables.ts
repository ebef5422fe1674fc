import { CarillonError } from '../base/errors.ts';

/** `--variable name=value`, given several times; an empty value may remove the variable. */
export function readVariables<Empty extends string | null>(
  given: readonly string[],
  empty: Empty,
): Record<string, string | Empty> {
  const pairs = given.map((pair): [string, string | Empty] => {
    const at = pair.indexOf('=');
    if (at > 0) return [pair.slice(0, at).trim(), pair.slice(at + 1) || empty];
    throw new CarillonError('usage-invalid', `--variable does not accept "${pair}"`, {
      remedy: 'Write a name and its value, for example --variable city=Reno.',
    });
  });
  const twice = pairs.find(([name], at) => pairs.findIndex(([other]) => other === name) < at);
  if (!twice) return Object.fromEntries(pairs);
  throw new CarillonError('usage-invalid', `--variable names "${twice[0]}" twice`, {
    remedy: 'Give each variable once.',
  });
}
