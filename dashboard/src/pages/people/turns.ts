/** Reads a transcript as turns, and only where each line surely is one; otherwise it stays a plain text. */
export type Turn = { who: string; text: string; agent: boolean };

const line = /^\[?(?:\d{1,2}:\d{2}(?::\d{2})?\]?\s*)?([\p{L}][\p{L}\d .'’_-]{0,30}):\s+(\S.*)$/u;
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
    turns.push(turn(found[1]!, found[2]!));
  }
  const speakers = new Set(turns.map(({ who }) => who));
  const areKnown = [...speakers].some((who) => agents.test(who) || others.test(who));
  // A text such as "Note: call back" has the form of a turn too.
  return areKnown && speakers.size <= mostSpeakers ? turns : null;
}

function turnsOfJson(text: string): Turn[] | null {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return turnsOfLines(text);
  }
  if (!Array.isArray(list)) return null;
  const turns = list.map((each: Record<string, unknown> | null) => {
    const who = each?.role ?? each?.speaker;
    const said = each?.content ?? each?.text ?? each?.message;
    return typeof who === 'string' && typeof said === 'string' ? turn(who, said) : null;
  });
  return turns.every((each) => each !== null) ? turns : null;
}

function turn(who: string, text: string): Turn {
  return { who, text, agent: agents.test(who) };
}
