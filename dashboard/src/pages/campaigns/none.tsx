import { Command } from '../../kit/basics.tsx';
import { Empty } from '../../kit/page.tsx';
import { NewCampaign } from './new-button.tsx';

/** Where there is none: what one is, and how it is made. */
export const NoCampaigns = () => (
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
