/** The part of its own address that a page reads: the filters that are there, as text. */
type Texts<Name extends string> = { [N in Name]?: string | undefined };

/** The router reads `?phone=4155550123` as a number. */
export function readTexts<Name extends string>(...names: readonly Name[]) {
  return (search: Record<string, unknown>): Texts<Name> => {
    const found: Texts<Name> = {};
    for (const name of names) {
      const value = search[name];
      if (value !== undefined && value !== null && value !== '') found[name] = String(value);
    }
    return found;
  };
}
