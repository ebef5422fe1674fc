import { readJson } from '../../kit/words.ts';

/** Reads a transcript as turns, and only where each line surely is one; otherwise it stays a plain text. */
export type Turn = {
  who: string;
  text: string;
  agent: boolean;
  /** Seconds from the beginning of the call, where it is told. */
  at: number | null;
};

const line = /^(?:[[(]?(\d{1,2}(?::\d{2}){1,2})[\])]?\s*)?([\p{L}][\p{L}\d .'’_-]{0,30}):\s+(\S.*)$/u;
const agents = /^(?:agent|ai|assistant|bot|virtual assistant|system)$/i;
const others = /^(?:customer|user|human|caller|callee|person|client|contact|lead|voicemail|recipient)$/i;
const mostSpeakers = 4;

export function turnsOf(transcript: string): readonly Turn[] | null {
  const text = transcript.trim();
  const turns = text.startsWith('[') ? turnsOfJson(text) : turnsOfLines(text);
  return turns && turns.length > 0 ? turns : null;
}

function turnsOfLines(text: string): Turn[] | null {
  const turns: Turn[] = [];
  for (const each of text.split(/\r?\n/)) {
    if (each.trim() === '') continue;
    const found = line.exec(each.trim());
    if (!found) return null;
    turns.push(turn(found[2]!, found[3]!, secondsOf(found[1])));
  }
  const speakers = new Set(turns.map(({ who }) => who));
  const areKnown = [...speakers].some((who) => agents.test(who) || others.test(who));
  // A text such as "Note: call back" has the form of a turn too.
  return areKnown && speakers.size <= mostSpeakers ? turns : null;
}

function turnsOfJson(text: string): Turn[] | null {
  const list = readJson(text);
  if (list === undefined) return turnsOfLines(text);
  if (!Array.isArray(list)) return null;
  const turns = list.map((each: Record<string, unknown> | null) => {
    const who = each?.role ?? each?.speaker;
    const said = each?.content ?? each?.text ?? each?.message;
    const at = each?.time_in_call_secs ?? each?.secondsFromStart ?? each?.start ?? each?.time;
    if (typeof who !== 'string' || typeof said !== 'string') return null;
    return turn(who, said, typeof at === 'number' && at >= 0 ? at : null);
  });
  return turns.every((each) => each !== null) ? turns : null;
}

/** `1:07` and `1:02:07`. */
function secondsOf(stamp: string | undefined): number | null {
  return stamp?.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) ?? null;
}

function turn(who: string, text: string, at: number | null): Turn {
  return { who, text, agent: agents.test(who), at };
}

/** Turns as spans of time, where all of their times are told and in order; a turn lasts until the next. */
export type Spoken = Turn & { at: number; to: number };

export function spokenOf(turns: readonly Turn[], seconds: number | null): Spoken[] | null {
  const spoken = turns.map((each, nth) => {
    const to = turns[nth + 1]?.at ?? Math.max(seconds ?? 0, (each.at ?? 0) + 1);
    return { ...each, at: each.at ?? Number.NaN, to };
  });
  return spoken.length > 0 && spoken.every(({ at, to }) => at <= to) ? spoken : null;
}
