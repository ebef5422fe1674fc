import type { Writable } from 'node:stream';
import { styleText } from 'node:util';

/**
 * The one place where text gets a colour. Node decides whether the screen shows it: `NO_COLOR` and `FORCE_COLOR` are
 * heard, and what is not a terminal gets plain text.
 */
export type Colour = 'red' | 'green' | 'yellow' | 'cyan' | 'dim';
/** Without a colour, or without a sign to show, the text stays as it is. */
export type Paint = (colour: Colour | undefined, text: string) => string;

export function createPaint(screen: Writable): Paint {
  // One colour at a time: for a list of them, Node 20 does not ask the screen.
  return (colour, text) => (colour && text ? styleText(colour, text, { stream: screen }) : text);
}
