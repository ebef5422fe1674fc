import { useEffect, useState } from 'react';

/** What is typed, once the typing rests: the API is not asked for each letter. */
const settleMs = 400;

export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
