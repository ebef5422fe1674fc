import { AlertList, useAlerts } from '../../shell/alerts.tsx';

/** The things that need a person now, each with what settles it. */
export function Alerts() {
  const items = useAlerts().data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section aria-label="Alerts" className="mb-4">
      <AlertList items={items} />
    </section>
  );
}
