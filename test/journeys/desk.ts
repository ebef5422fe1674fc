import { test } from 'vitest';
import { openDesk } from '../support/carillon.ts';

/** A journey, whose desks are closed when it has ended. */
export const it = test.extend<{ openDesk: typeof openDesk }>({
  openDesk: ({ onTestFinished }, use) =>
    use(async (...given) => {
      const desk = await openDesk(...given);
      onTestFinished(() => desk.close());
      return desk;
    }),
});
