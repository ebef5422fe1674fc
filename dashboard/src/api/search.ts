/** The part of its own address that a page reads: the filters that are there, as text. */
type Texts<Name extends string> = { [N in Name]?: string };

/** The router reads `?phone=4155550123` as a number. */
export function readTexts<const Name extends string>(...names: readonly Name[]) {
  return (search: Record<string, unknown>) => {
    const found = names.map((name) => [name, String(search[name] ?? '')] as const);
    return Object.fromEntries(found.filter(([, value]) => value !== '')) as Texts<Name>;
  };
}

type Choices = Readonly<Record<string, readonly string[]>>;

/** With some that have a few values only: another one is not read. */
export function readChoices<const Of extends Choices, const Name extends string>(of: Of, ...names: Name[]) {
  const read = readTexts(...Object.keys(of), ...names);
  return (search: Record<string, unknown>) => {
    const found = Object.entries(read(search)).filter(([name, value]) => of[name]?.includes(value!) ?? true);
    return Object.fromEntries(found) as { [N in keyof Of]?: Of[N][number] } & Texts<Name>;
  };
}
