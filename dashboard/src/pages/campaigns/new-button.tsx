import { buttonClasses } from '../../kit/button.tsx';
import { Command } from '../../kit/copy.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Icon } from '../../kit/icon.tsx';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';

/** The way to a new campaign, with its key; it is the main act where nothing else needs a person. */
export function NewCampaign({ isMain = true }: { isMain?: boolean }) {
  if (!useMay('operate')) return null;
  return (
    <PageLink to="/campaigns/new" className={buttonClasses(isMain ? 'main' : 'plain')}>
      <Icon name="plus" />
      <span data-words>New campaign</span>
      <kbd className="key-in-button max-md:hidden">C</kbd>
    </PageLink>
  );
}

/** Where there is none: what one is, and how it is made. */
export function NoCampaigns() {
  return (
    <Empty title="No campaign yet" act={<NewCampaign />}>
      <p>
        A campaign is a list of people, an agent, and the hours in which they may be called. Make one here, or
        in a terminal from a file with a column named <code>phone</code>:
      </p>
      <Command>carillon run people.csv --agent AGENT_ID</Command>
      <p>
        <code>carillon demo</code> shows one on a simulated service, and calls nobody.
      </p>
    </Empty>
  );
}
