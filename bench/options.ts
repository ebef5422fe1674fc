/** A benchmark as the command line knows it: a name, options, and how these are read. */
export type Values = Record<string, string | boolean>;
export type Bench = {
  about: string;
  /** Each option's meaning and default; false for a switch. */
  options: Record<string, [meaning: string, preset: string | false]>;
  run(values: Values, signal: AbortSignal): Promise<void> | void;
};

export class Usage extends Error {}

export function whole(option: string, values: Values, least: number, most: number): number {
  const value = Number(values[option]);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Usage(`--${option} must be a whole number of ${least} to ${most}, not ${values[option]}.`);
}
