/**
 * The logarithm of how much better two shares of refused requests explain what was seen than one share for all. Pure.
 */
export function gainOfTwo(refused: number, all: number, otherRefused: number, otherAll: number): number {
  const together = likelihood(refused + otherRefused, all + otherAll);
  return likelihood(refused, all) + likelihood(otherRefused, otherAll) - together;
}

function likelihood(refused: number, all: number): number {
  const share = refused / all;
  const part = (count: number, of: number) => (count > 0 ? count * Math.log(of) : 0);
  return part(refused, share) + part(all - refused, 1 - share);
}
