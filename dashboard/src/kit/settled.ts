import { useEffect, useState } from 'react';

/** What is typed, once the typing rests: the API is not asked for each letter. */
export function useSettled(value: string, restMs: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), restMs);
    return () => clearTimeout(timer);
  }, [value, restMs]);
  return settled;
}
