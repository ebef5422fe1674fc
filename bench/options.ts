/** A benchmark as the command line knows it: what it measures, and its options with what each may be. */
export type Bench = {
  about: string;
  options: Record<string, Option<unknown>>;
  run(read: Record<string, unknown>, signal: AbortSignal): Promise<void> | void;
};

export type Option<T> = {
  meaning: string;
  /** What is read where nothing was given; false for a switch. */
  preset: string | false;
  /** Throws what the value must be. */
  read(given: string | boolean): T;
};

export class Usage extends Error {}

/** The options have the names and types of what `run` takes. */
export function bench<O extends Record<string, unknown>>(
  about: string,
  options: { [K in keyof O]: Option<O[K]> },
  run: (options: O, signal: AbortSignal) => Promise<void> | void,
): Bench {
  return { about, options, run: run as Bench['run'] };
}

export function whole(meaning: string, least: number, most: number, preset: number): Option<number> {
  return {
    meaning: `${meaning}, ${least} to ${most}`,
    preset: String(preset),
    read(given) {
      const value = Number(given);
      if (Number.isInteger(value) && value >= least && value <= most) return value;
      throw new Usage(`a whole number of ${least} to ${most}`);
    },
  };
}

export function text(meaning: string): Option<string> {
  return { meaning, preset: '', read: String };
}

export function flag(meaning: string): Option<boolean> {
  return { meaning, preset: false, read: (given) => given === true };
}

export function choice<T>(meaning: string, choices: Record<string, T>, preset: string): Option<T> {
  const names = Object.keys(choices).join(', ');
  return {
    meaning: `${meaning}: ${names}`,
    preset,
    read(given) {
      if (Object.hasOwn(choices, String(given))) return choices[String(given)]!;
      throw new Usage(`one of ${names}`);
    },
  };
}

/** Several of these names, separated by commas. */
export function listOf<T extends string>(meaning: string, names: readonly T[]): Option<T[]> {
  return {
    meaning: `${meaning}, comma-separated`,
    preset: names.join(','),
    read(given) {
      const chosen = String(given).split(',') as T[];
      if (chosen.every((name) => names.includes(name))) return chosen;
      throw new Usage(`names of ${names.join(', ')}`);
    },
  };
}
