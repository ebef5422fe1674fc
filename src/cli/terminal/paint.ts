import type { Writable } from 'node:stream';
import { styleText } from 'node:util';

/**
 * The one place where text gets a colour. Node decides whether the screen shows it: it honours `NO_COLOR` and
 * `FORCE_COLOR`, and output that is not a terminal gets plain text.
 */
export type Colour = 'red' | 'green' | 'yellow' | 'cyan' | 'dim';
/** The text stays as it is if it is empty or has no colour. */
export type Paint = (colour: Colour | undefined, text: string) => string;

export function createPaint(screen: Writable): Paint {
  // One colour at a time: given a list of them, Node 20 does not ask the screen.
  return (colour, text) => (colour && text ? styleText(colour, text, { stream: screen }) : text);
}
