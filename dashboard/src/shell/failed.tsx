import { Button } from '../kit/basics.tsx';
import { Empty, Page } from '../kit/page.tsx';

/** After an update, a page that was open asks for parts that are no longer there: loading again brings the new ones. */
export const PageFailed = ({ error }: { error: unknown }) => (
  <Page title="This page failed">
    <Empty
      title="The page could not be shown."
      act={<Button onClick={() => window.location.reload()}>Load it again</Button>}
    >
      If Carillon was updated while this page was open, loading it again is enough. What the browser said:{' '}
      {error instanceof Error ? error.message : String(error)}
    </Empty>
  </Page>
);
