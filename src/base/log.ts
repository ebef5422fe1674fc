import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { printableJson } from './terminal-safe.ts';

/** Logs go to stderr, so that stdout stays what the user asked for; phone numbers are masked, secrets never enter. */
export type Log = Logger;

/**
 * Phones as people and services write them: international with or without spaces, with 00, in the address of a SIP call,
 * and national forms. A number that stands by itself in JSON is an amount; a part of an id, a time or a decimal is not a
 * phone either.
 */
const phones = [
  /(?:\+|%2B)\d(?:[ \u00a0().\-\u2010-\u2015/]{0,3}\d){5,14}/gi,
  /(?<=\b(?:sips?|tel):)\d(?:[().-]?\d){6,14}/gi,
  /(?<![\w.:+-])00[1-9](?:[ .\-\u2010-\u2015/]?\d){7,12}(?![\w-])/g,
  /(?<![\w.:+-])\(?0[1-9](?:[ \u00a0().\-\u2010-\u2015/]{0,3}\d){7,10}(?![\w-]|:\w)/g,
  /(?<![\w.:+-])(?:1[ .\-\u2010-\u2015]?)?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ \u00a0.\-\u2010-\u2015/]{1,2})\d{3}[ \u00a0.\-\u2010-\u2015]?\d{4}(?![\w-])/g,
  /(?<![\w.:+-])(?:1?[2-9]\d{2}[2-9]\d{6}|0[1-9]\d{8,10})(?![\w-]|[.:]\w)/g,
];

/** `+14155550123` becomes `+1415•••23`: enough to recognise, too little to dial. */
export function maskPhone(text: string): string {
  return phones.reduce((masked, form) => masked.replace(form, maskOne), text);
}

/** Keeps the digits before the last seven, however they are written, and the last two. */
function maskOne(number: string): string {
  const digits = number.match(/\d/g)!.length;
  let kept = Math.max(1, digits - 7);
  let at = 0;
  while (kept > 0) {
    if (/\d/.test(number[at]!)) kept -= 1;
    at += 1;
  }
  return `${number.slice(0, at)}•••${number.slice(-2)}`;
}

export function createLog(level: string, stream?: DestinationStream): Log {
  return pino(
    {
      level,
      base: { pid: process.pid },
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        streamWrite: (line) => `${printableJson(maskPhone(line).trimEnd())}\n`,
      },
    },
    stream ?? destination({ dest: 2, sync: true }),
  );
}
