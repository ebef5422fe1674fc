import { jsonOf } from '../json.ts';

/** One of several numbers of a person; `passed`: why it is not called. It is empty where the list's cell is no phone. */
export type PersonPhone = { phone: string; place: string; passed: string | null };

/** The numbers by which a person is known. */
export function numbersOf({ phone, phones }: Pick<NewRecipient, 'phone' | 'phones'>): string[] {
  return phones ? phones.flatMap((each) => (each.phone === '' ? [] : [each.phone])) : [phone];
}

/** A person or a reject as a line of COPY. */
export type NewRecipient = {
  row: number;
  /** The number that is tried first. */
  phone: string;
  /** All numbers of a person who has several. */
  phones?: readonly PersonPhone[] | undefined;
  name: string | null;
  /** The agent that the row asks for; without one, the order decides. */
  agent?: string | null | undefined;
  /** As src/rules/phone/place.ts writes it. */
  place: string;
  /** The input, as it was given. */
  input: Record<string, unknown>;
  /** The part of it that goes to the service with a call. */
  variables: Record<string, unknown>;
  ref?: string;
  /** The row itself says where the person is, by its time zone or its state. */
  ownPlace?: true | undefined;
  repairs?: Repaired | undefined;
};
/** The reject that a row was before, as it was reported. */
export type Repaired = { line: number; reason: string };
export type NewReject = {
  row: number;
  reason: string;
  input: Record<string, unknown>;
  /** The phone of a person whom the order never lets through; a person who is on the list already is reported there. */
  phone?: string | undefined;
  repairs?: Repaired | undefined;
};
export type PeopleBatch = { accepted: NewRecipient[]; rejected: NewReject[] };

export function rejectLine({ row, reason, input }: NewReject): string {
  return `${row}\t${escapeCopy(reason)}\t${jsonCell(input)}`;
}

export function repairLine({ line, reason }: Repaired): string {
  return `${line}\t${escapeCopy(reason)}\n`;
}

export function personLine(p: NewRecipient): string {
  const optional = (text: string | null | undefined) => (text == null ? '\\N' : escapeCopy(text));
  const cells = [
    p.row,
    p.phone,
    escapeCopy(p.ref ?? ''),
    optional(p.name),
    optional(p.agent),
    escapeCopy(p.place),
  ];
  return [...cells, jsonCell(p.input), jsonCell(keptVariables(p)), p.phones !== undefined].join('\t');
}

/** The lines of a person's numbers, if there are several. */
export function phoneLines({ phone: person, phones = [] }: NewRecipient): string {
  return phones
    .map(({ phone, place, passed }, nth) => {
      const cells = [
        person,
        nth + 1,
        escapeCopy(phone),
        escapeCopy(place),
        passed === null ? '\\N' : escapeCopy(passed),
      ];
      return `${cells.join('\t')}\n`;
    })
    .join('');
}

/** The line that an import's stage takes. */
export function stageLine(p: NewRecipient, never: string | null = null): string {
  return `${personLine(p)}\t${never === null ? '\\N' : escapeCopy(never)}\t${p.ownPlace === true}\n`;
}

export function neverLine({ row, phone, input, reason }: NewReject): string {
  return stageLine({ row, phone: phone!, name: null, place: '', input, variables: {} }, reason);
}

/** Values that are sent as the input holds them are not kept twice: the names not sent are enough. */
function keptVariables({ input, variables }: NewRecipient): Record<string, unknown> | string[] {
  const names = Object.keys(variables);
  const isKept = (name: string) => Object.hasOwn(input, name) && isSame(input[name], variables[name]);
  if (names.length === 0 || !names.every(isKept)) return variables;
  return Object.keys(input).filter((name) => !Object.hasOwn(variables, name));
}

function isSame(given: unknown, sent: unknown): boolean {
  return given === sent || (typeof sent === 'object' && JSON.stringify(given) === JSON.stringify(sent));
}

const jsonCell = (fields: Record<string, unknown> | string[]) => escapeCopy(jsonOf(fields));

const special = /[\\\t\n\r\0]/g;
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '' };
function escapeCopy(text: string): string {
  return text.replace(special, (char) => escapes[char]!);
}
