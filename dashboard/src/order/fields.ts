import { orderForm } from '../api/order-form.ts';

/** The fields of an order, and how each is written as one text: empty where the default holds. */
type Group = (typeof orderForm)[number];
export type OrderGroup = Group['name'];
export type OrderName = Group['fields'][number]['name'];
/** `empty` is the value that holds while it is empty, `asked_by` the field whose own control asks for this one too. */
export type OrderField = Omit<Group['fields'][number], 'choices'> & {
  choices: readonly { value: string; label: string }[];
};

export const orderGroups: readonly { name: OrderGroup; title: string; fields: readonly OrderField[] }[] =
  orderForm;
export const orderFields: readonly OrderField[] = orderGroups.flatMap(({ fields }) => fields);

export const fieldsOf = (group: OrderGroup): readonly OrderField[] =>
  orderGroups.find(({ name }) => name === group)!.fields;

export function textOf({ name, kind }: OrderField, order: Partial<Record<OrderName, unknown>>): string {
  const value = order[name];
  if (value === null || value === undefined) return '';
  if (kind === 'json') return JSON.stringify(value, null, 2);
  if (kind === 'yes') return value === true ? 'yes' : '';
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([outcome, wait]) => `${outcome}=${wait}`)
    .join(', ');
}

/** As the API takes it: null restores the default, also where JSON cannot be read. */
export function readText({ kind }: OrderField, text: string): unknown {
  const typed = text.trim();
  if (kind === 'agents' || kind === 'callers' || kind === 'list') {
    const several = typed.split(/[,\n]/).map((each) => each.trim());
    const given = several.filter((each) => each !== '');
    return given.length === 0 && kind !== 'agents' ? null : given;
  }
  if (typed === '') return null;
  if (kind === 'yes') return true;
  if (kind === 'json') return jsonFault(typed) === null ? JSON.parse(typed) : null;
  return kind === 'retry' ? typed.replaceAll(/\s/g, '') : typed;
}

/** The fault of a text that must be a JSON object; null when there is none. */
export function jsonFault(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
    return isObject ? null : 'Write one JSON object, such as {"language": "en"}.';
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}.`;
  }
}
