import { useLive } from '../../data/queries.ts';
import { Page } from '../../kit/page.tsx';
import { Navigate, useParams } from '../../kit/router.tsx';

/** The address of an import leads to its campaign, where it stands with the rows that were rejected. */
export function ImportPage() {
  const found = useLive('GET /api/imports/{id}', useParams('/imports/$id'), {});
  if (!found.data) return <Page title="Import" of={found} />;
  const to = `/campaigns/${encodeURIComponent(found.data.campaign)}`;
  return <Navigate to={to} search={{ tab: 'results' }} replace />;
}
