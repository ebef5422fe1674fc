/** The steps of the path by name: their addresses are known on every page, their fields only here. */
export const steps = ['people', 'calls', 'hours', 'limits', 'check'] as const;
export type Step = (typeof steps)[number];

/** Each step has its own address, so that Back and reload stay in place. */
export function readStep({ step }: Record<string, unknown>): { step?: Step } {
  const known = steps.find((each) => each === step);
  return known ? { step: known } : {};
}
