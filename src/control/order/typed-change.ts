import { quote } from '../../rules/phone/phone-text.ts';
import { read } from '../requests/input.ts';
import { type OrderChange, orderChange, orderFields } from './order.ts';
import { flags, wrong } from './term.ts';

/** A change of an order as it is typed: `max_calls=40`, one field at a time; without a value, the field's default. */
export function readTypedChange(typed: readonly string[]): OrderChange {
  const wanted: Record<string, unknown> = {};
  for (const each of typed) {
    const at = each.indexOf('=');
    const name = each.slice(0, at).trim();
    if (at < 1 || !isField(name)) {
      throw wrong(
        `The change ${quote(each)} does not name a field of the order`,
        `Write a field and its value, such as max_calls=40. The fields are ${Object.keys(orderChange.shape).join(', ')}.`,
      );
    }
    const value = each.slice(at + 1);
    if (value === '') wanted[name] = null;
    else if (takesMany(name)) wanted[name] = [...((wanted[name] as string[] | undefined) ?? []), value];
    else wanted[name] = readValue(name, value);
  }
  return read(orderChange, wanted);
}

type Field = keyof typeof orderChange.shape;
const isField = (name: string): name is Field => Object.hasOwn(orderChange.shape, name);

function takesMany(name: Field): boolean {
  return flags.get(orderFields[name])?.many === true;
}

/** The text itself if the field takes text; else the JSON that it holds, such as `true`. */
function readValue(name: Field, value: string): unknown {
  if (orderChange.shape[name].safeParse(value).success) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
