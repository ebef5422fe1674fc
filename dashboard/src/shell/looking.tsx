import { lookAs, looksAs } from '../api/look.ts';
import { Button } from '../kit/button.tsx';
import { roleText } from './me.ts';

/** Says on every page that an admin looks as another role, and ends that. */
export const Looking = () => (
  <p className="flex flex-wrap items-center justify-center gap-x-3 bg-accent-soft px-4 py-1.5 text-sm">
    You see the page as the role “{roleText(looksAs!)}” does. Your own token may still do everything.
    <Button small onClick={() => lookAs(null)}>
      Be admin again
    </Button>
  </p>
);
