import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { group } from '../group.ts';
import { policySetCommand, policyShowCommand } from './policy-set.ts';

/** `carillon policy`: the contact rules of every campaign and single call. */
export function policyCommand(cli: Cli): Command {
  return group('policy', 'Show and set the contact rules of every campaign.', 'carillon policy show', [
    policyShowCommand(cli),
    policySetCommand(cli),
  ]);
}
