import { actFor } from '../../src/base/actor.ts';

/** Files that share a process begin alike: commands typed in an earlier one left their actor. */
actFor(null);
