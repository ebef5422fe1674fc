import { createRootRoute } from '@tanstack/react-router';
import { NotFound, PageFailed } from './shell/failed.tsx';
import { Shell } from './shell/shell.tsx';

/** The root of the page's routes: the shell around every page. */
export const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: PageFailed,
});
