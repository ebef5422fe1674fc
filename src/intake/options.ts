import { CarillonError } from '../base/errors.ts';
import { type ColumnMap, mostPhones } from './columns.ts';
import { type VariableColumn, variableTypes } from './variables.ts';

/** Reads the options about a file: its columns and its time zone. */

const roles = ['phone', 'name', 'timezone', 'state', 'agent'] as const;

/**
 * `phone=COL,name=COL,timezone=COL,state=COL,agent=COL`, and `VARIABLE:TYPE=COL` for a variable of a type, or only
 * `COL:TYPE`. More phones are more numbers of the person. A column name may contain anything but a comma.
 */
export function parseMap(text: string): ColumnMap {
  const map: ColumnMap = {};
  for (const part of text.split(',')) {
    if (!part.trim()) continue;
    const variable = readVariable(part);
    if (variable) {
      map.variables = [...(map.variables ?? []), checkTwice(variable, map.variables ?? [])];
      continue;
    }
    const at = part.indexOf('=');
    const role = roles.find((name) => name === part.slice(0, Math.max(at, 0)).trim().toLowerCase());
    const column = part.slice(at + 1).trim();
    if (!role || !column) {
      throw new CarillonError('usage-invalid', `--map does not accept "${part.trim()}"`, {
        remedy: `Use ${roles.map((each) => `${each}=COL`).join(', ')} or VARIABLE:TYPE=COL, separated by commas; a type is ${variableTypes.join(', ')}.`,
      });
    }
    if (role === 'phone' && map.phone !== undefined && (map.morePhones ?? []).length < mostPhones - 1) {
      map.morePhones = [...(map.morePhones ?? []), column];
      continue;
    }
    if (map[role] !== undefined) {
      throw new CarillonError(
        'usage-invalid',
        `--map names ${role} ${role === 'phone' ? 'too often' : 'twice'}`,
        { remedy: role === 'phone' ? `A person has at most ${mostPhones} numbers.` : 'Name each once.' },
      );
    }
    map[role] = column;
  }
  return map;
}

/** `amount:number=Betrag`, or `amount:number` for the column of that name. */
function readVariable(part: string): VariableColumn | null {
  const [, name = '', type = '', column = name] =
    /^([^=]*?):\s*([a-z]+)\s*(?:=(.*))?$/is.exec(part.trim()) ?? [];
  const known = variableTypes.find((each) => each === type.toLowerCase());
  if (!known || !name.trim() || !column.trim()) return null;
  return { name: name.trim(), type: known, column: column.trim() };
}

function checkTwice(variable: VariableColumn, others: readonly VariableColumn[]): VariableColumn {
  if (!others.some(({ name }) => name === variable.name)) return variable;
  throw new CarillonError('usage-invalid', `--map names ${variable.name} twice`, {
    remedy: 'Name each once.',
  });
}
