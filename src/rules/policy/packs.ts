/** Packs of hours: dated rows of what contact rules allow; none holds until a policy names it. */
const names = ['us-telemarketing', 'ca-telemarketing'];

export function isPack(name: string): boolean {
  return names.includes(name);
}

export function packNames(): readonly string[] {
  return names;
}
