import { buttonClasses, Icon } from '../../kit/basics.tsx';
import { Link } from '../../kit/router.tsx';
import { useMay } from '../../shell/reads.ts';

/** The way to a new campaign, with its key; it is the main act where nothing else needs a person. */
export function NewCampaign({ isMain = true }: { isMain?: boolean }) {
  if (!useMay('operate')) return null;
  return (
    <Link to="/campaigns/new" className={buttonClasses(isMain ? 'main' : 'plain')}>
      <Icon name="plus" />
      <span data-words>New campaign</span>
      <kbd className="key-in-button max-md:hidden">C</kbd>
    </Link>
  );
}
