import type { Config } from './config.ts';
import type { MaxCalls, Rate } from './keys.ts';

/** What the settings say of one key: its own value, else that of all keys. */

/** The lane rate that is set for a key: its own, else the common one. */
export function rateOf(config: Pick<Config, 'voice'>, key: string): Rate {
  return Object.hasOwn(config.voice.rates, key) ? config.voice.rates[key]! : config.voice.rate;
}

/** The calls at once that are set for a key; null where nobody says. */
export function maxCallsOf({ voice }: Pick<Config, 'voice'>, key: string): MaxCalls | null {
  return (Object.hasOwn(voice.maxCallsOf, key) ? voice.maxCallsOf[key] : voice.maxCalls) ?? null;
}

/** The keys that share the limit of this one, itself among them; null if it has a limit of its own. */
export function accountOf({ voice }: Pick<Config, 'voice'>, key: string): readonly string[] | null {
  return voice.accounts.find((each) => each.includes(key)) ?? null;
}
