import * as fc from 'fast-check';

/**
 * Judges a property at once. fast-check's own `assert` answers a promise for properties that wait; the linter cannot
 * tell the two apart, and would take each use for a promise that nobody awaits.
 */
export function assert<T>(property: fc.IProperty<T>, settings?: fc.Parameters<T>): void {
  fc.assert(property, settings);
}
